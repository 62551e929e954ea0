/* The bridge in front of a hub of our own: MCP in full, hubs that die and come back. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerDefinition } from '../../src/mcp/define/definition.ts';
import type { DefinitionProvider } from '../../src/mcp/define/definition-provider.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import { initialize, type Orchestrator, openBridge, startBridge, startHub } from '../support/bridges.ts';
import { deferred, until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const hubProgram = fileURLToPath(new URL('../fixtures/tunnel-hub.mjs', import.meta.url));
/** Half of the time that a process waits for the lock of a folder. */
const HALF_LOCK_WAIT_MS = 5000;
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const modern = {
	_meta: {
		'io.modelcontextprotocol/protocolVersion': '2026-07-28',
		'io.modelcontextprotocol/clientCapabilities': {},
	},
};

for (const kind of ['quic', 'tls'] as const) {
	describe(`the tunnel over ${kind}`, () => {
		it('carries what the common protocol cannot: structured content, progress, elicitations', async () => {
			const folder = temporaryFolder();
			const hub = await startHub({ folder, kind }, provide(server()));
			const { client, said } = openBridge(hub, { kind });
			client.send({ ...initialize, params: { ...initialize.params, capabilities: { elicitation: {} } } });
			expect(JSON.parse(await client.answer(1)).result.serverInfo.name).toBe('hub');
			expect(said).toEqual([`transport.stdio: connected to orchestrator at ${hub.address}`]);
			client.send(initialized, {
				jsonrpc: '2.0',
				id: 2,
				method: 'tools/call',
				params: { name: 'ask', _meta: { progressToken: 'p' } },
			});
			await client.line(({ method }) => method === 'notifications/progress');
			const question = JSON.parse(await client.line(({ method }) => method === 'elicitation/create'));
			client.send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { n: 4 } } });
			expect(JSON.parse(await client.answer(2)).result.structuredContent).toEqual({
				action: 'accept',
				content: { n: 4 },
			});
		});

		it('fails what is in flight when the hub dies, and serves again when it is back', async () => {
			const folder = temporaryFolder();
			const started = deferred();
			const calls: string[] = [];
			const definition = server(calls, started.resolve);
			const hub = await startHub({ folder, kind }, provide(definition));
			const { client, said } = openBridge(hub, { kind });
			client.send(initialize, initialized);
			await client.answer(1);
			client.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hang' } });
			client.send({
				jsonrpc: '2.0',
				id: 3,
				method: 'subscriptions/listen',
				params: { ...modern, notifications: {} },
			});
			await started.promise;
			await client.line(({ method }) => method === 'notifications/subscriptions/acknowledged');
			await hub.close();
			for (const id of [2, 3]) {
				expect(JSON.parse(await client.answer(id)).error).toMatchObject({
					code: -32603,
					message: expect.stringContaining('outcome unknown'),
					data: { outcome: 'unknown' },
				});
			}
			await startHub({ folder, kind, address: hub.address }, provide(definition));
			const { result } = await client.call(4, 'tools/call', { name: 'hello' });
			expect(result).toEqual({ content: [{ type: 'text', text: 'hello 2024-11-05' }] });
			expect(calls).toEqual(['hang', 'hello']);
			expect(said).toHaveLength(2);
		});
	});
}

describe('a bridge to a hub of our own', () => {
	it('is notified of changes by a new hub as by the old one', async () => {
		const folder = temporaryFolder();
		const hub = await startHub({ folder }, provide(server()));
		const { client } = openBridge(hub);
		client.send(initialize, initialized);
		await client.answer(1);
		await client.call(2, 'resources/subscribe', { uri: 'note:a' });
		await client.call(3, 'tools/list');
		await hub.close();
		const second: DefinitionProvider = provide(server());
		await startHub({ folder, address: hub.address }, second);
		await client.line(({ method }) => method === 'notifications/tools/list_changed');
		await client.call(4, 'tools/list');
		second.notifyChange({ kind: 'resource', uri: 'note:a' });
		expect(await client.line(({ method }) => method === 'notifications/resources/updated')).toContain(
			'note:a',
		);
	});

	it('refuses a line that is too long under its id, and goes on', async () => {
		const folder = temporaryFolder();
		const { client } = openBridge(await startHub({ folder }, provide(server())), { limitBytes: 1000 });
		const params = { name: 'hello', arguments: { text: 'x'.repeat(2000) } };
		expect((await client.call(9, 'tools/call', params)).error).toMatchObject({ code: -32600 });
		expect((await client.call(10, 'ping')).result).toEqual({});
	});

	it('carries messages of megabytes both ways', async () => {
		const folder = temporaryFolder();
		const { client } = openBridge(await startHub({ folder }, provide(server())));
		const text = 'ü'.repeat(2_000_000);
		const { result } = await client.call(1, 'tools/call', { name: 'echo', arguments: { text } });
		expect(result?.['content']).toEqual([{ type: 'text', text }]);
	});
});

describe('ten bridges to one hub', () => {
	it('get their own answers with a hundred calls in flight each', async () => {
		const folder = temporaryFolder();
		const hub = await startHub({ folder }, provide(server()));
		const bridges = Array.from({ length: 10 }, () => openBridge(hub));
		const ids = Array.from({ length: 100 }, (_, index) => index + 1);
		await Promise.all(
			bridges.map(async ({ client }, bridge) => {
				client.send(
					...ids.map((id) => ({
						jsonrpc: '2.0',
						id,
						method: 'tools/call',
						params: { name: 'echo', arguments: { text: `${bridge}/${id}` } },
					})),
				);
				for (const id of ids) expect(await client.answer(id)).toContain(`"text":"${bridge}/${id}"`);
			}),
		);
	});

	it('all get errors when it dies, and are all served by the next', async () => {
		const folder = temporaryFolder();
		const calls: string[] = [];
		const hub = await startHub({ folder }, provide(server(calls)));
		const bridges = Array.from({ length: 10 }, () => openBridge(hub));
		for (const { client } of bridges) {
			client.send(...Array.from({ length: 100 }, (_, id) => call(id, 'hang')));
		}
		await until('every call has reached the hub', () => calls.length === 1000);
		await hub.close();
		for (const { client } of bridges) {
			for (let id = 0; id < 100; id++) expect(await client.answer(id)).toContain('-32603');
		}
		const after: string[] = [];
		await startHub({ folder, address: hub.address }, provide(server(after)));
		await Promise.all(bridges.map(({ client }) => client.call('x', 'tools/call', { name: 'hello' })));
		expect(after).toEqual(Array.from({ length: 10 }, () => 'hello'));
	});
});

describe('the process', () => {
	it.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 at %s while it waits for input', async (signal) => {
		const folder = temporaryFolder();
		const { child, client, exited } = startBridge(await startHub({ folder }, provide(server())));
		await client.call(1, 'ping');
		child.kill(signal);
		expect(await exited).toEqual([0, null]);
	});

	it('ends with 0 at SIGINT while another process holds the lock of its certificates', async () => {
		const folder = temporaryFolder();
		const hub = await startHub({ folder }, provide(server()));
		await writeFile(join(folder, '.lock'), `${process.pid}\n`);
		const { child, client, exited } = startBridge(hub);
		await client.call(1, 'ping');
		child.kill('SIGINT');
		expect(await Promise.race([exited, sleep(HALF_LOCK_WAIT_MS, 'still there')])).toEqual([0, null]);
	});

	it('ends with 0 at SIGINT though something in the process never ends', async () => {
		const hub = await startHub({ folder: temporaryFolder() }, provide(server()));
		const leak = '--import=data:text/javascript,setInterval(()=>{},1000)';
		const { child, client, exited } = startBridge(hub, { NODE_OPTIONS: leak });
		await client.call(1, 'ping');
		child.kill('SIGINT');
		expect(await exited).toEqual([0, null]);
	});

	it('finishes what is in flight at the end of its input, then ends with 0', async () => {
		const folder = temporaryFolder();
		const hub = await startHub({ folder }, provide(server()));
		const { client, exited } = startBridge(hub);
		client.send(initialize, call(2, 'later'));
		client.end();
		expect(await exited).toEqual([0, null]);
		expect(client.lines.map((line) => JSON.parse(line).id)).toEqual([1, 2]);
	});

	it('ends at once at a second signal', async () => {
		const folder = temporaryFolder();
		const started = deferred();
		const { child, client, stderr, exited } = startBridge(
			await startHub({ folder }, provide(server([], started.resolve))),
		);
		client.send(call(1, 'hang'));
		await started.promise;
		child.kill('SIGTERM');
		const again = setInterval(() => child.kill('SIGTERM'), 50);
		expect(await exited).toEqual([143, null]);
		clearInterval(again);
		// What it says when it has waited in vain for the calls in flight.
		expect(stderr()).not.toContain('still running');
	});

	it('notices at once that its hub was killed, answers, and finds the next one', async () => {
		const folder = temporaryFolder();
		const hub = await startHubProcess(folder);
		const { client, stderr } = startBridge(hub);
		client.send(initialize, call(2, 'hang'));
		await hub.line('hanging');
		hub.child.kill('SIGKILL');
		expect(JSON.parse(await client.answer(2)).error).toMatchObject({ code: -32603 });
		await startHubProcess(folder, hub.address);
		const params = { name: 'echo', arguments: { text: 'again' } };
		expect((await client.call(3, 'tools/call', params)).result?.['content']).toEqual([
			{ type: 'text', text: 'again' },
		]);
		expect(stderr()).toMatch(/connected[^]*no orchestrator[^]*connected/);
	});

	it.each(['open', 'closed'])('ends with 64 when the address is none, with its input %s', async (input) => {
		const folder = temporaryFolder();
		const { child, stderr, exited } = startBridge({ address: 'no-port', folder } as Orchestrator);
		if (input === 'closed') child.stdin.end();
		expect(await exited).toEqual([64, null]);
		expect(stderr()).toContain('"no-port" is not an address');
	});
});

function call(id: number, name: string): object {
	return { jsonrpc: '2.0', id, method: 'tools/call', params: { name } };
}

interface HubProcess extends Orchestrator {
	child: ChildProcess;
	/** Resolves when the hub has printed this line. */
	line(text: string): Promise<void>;
}

/** A hub that can be killed. */
async function startHubProcess(folder: string, address = 'localhost:0'): Promise<HubProcess> {
	const child = spawn(process.execPath, [hubProgram, folder, address], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = once(child, 'close');
	const close = async (): Promise<void> => {
		child.kill('SIGKILL');
		await exited;
	};
	onTestFinished(close);
	let printed = '';
	child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	const line = (text: string): Promise<void> => until(`it prints ${text}`, () => printed.includes(text));
	await line('\n');
	return { child, address: printed.trim(), folder, close, line };
}

function server(calls: string[] = [], onHang: () => void = () => {}): ServerDefinition {
	return {
		name: 'hub',
		version: '1.0.0',
		resources: { 'note:a': { read: () => 'a' } },
		tools: {
			hello: {
				description: 'Says hello',
				run: (_, { revision }) => {
					calls.push('hello');
					return `hello ${revision.version}`;
				},
			},
			echo: { description: 'Says it again', run: ({ text }) => String(text) },
			hang: {
				description: 'Never ends',
				run: () => {
					calls.push('hang');
					onHang();
					return new Promise<string>(() => {});
				},
			},
			later: {
				description: 'Takes a moment',
				run: () => new Promise<string>((resolve) => setTimeout(() => resolve('later'), 100)),
			},
			ask: {
				description: 'Asks the client',
				output: { type: 'object' },
				run: async (_, context) => {
					context.progress(1, 2);
					return { answer: await context.ask('elicitation/create', { message: 'n?', requestedSchema: {} }) }
						.answer;
				},
			},
		},
	};
}
