/* `mctl serve` as agents use it: a real process, real tools, real clients of the official SDK. */

import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/transport/client.ts';
import { OrchestraClientTransport } from '../../src/transport/sdk/sdk-transport.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { mctl, startMctl } from '../support/mctl.ts';
import { isAlive } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
const clients: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
	await Promise.all(clients.splice(0).map((client) => client.close()));
});

describe('mctl serve', () => {
	it('answers a one-shot pipe and exits 0, with nothing but protocol on stdout', async () => {
		const input = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
		const { stdout, stderr, code } = await mctl(['serve'], { input, cwd: workspace({}) });
		expect([stdout, code]).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}\n', 0]);
		expect(stderr).toMatch(/\[INFO\] \[orchestra\] Starting orchestra v\d/);
	});

	it.runIf(runsAllTests)(
		'exits 0 at the end of its input though something in the process never ends',
		async () => {
			const env = { NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1000)' };
			const { code, signal } = await mctl(['serve'], { cwd: workspace({}), env, input: '' });
			expect([code, signal]).toEqual([0, null]);
		},
	);

	it('logs that it has started after the library is loaded', async () => {
		const child = startMctl(['serve'], { cwd: workspace({}) });
		let stderr = '';
		child.stderr.on('data', (chunk) => (stderr += String(chunk)));
		await until('the hub has started', () => stderr.includes('started successfully'));
		child.stdin.end();
		await once(child, 'close');
		const steps = [
			...stderr.matchAll(
				/Starting orchestra v\d|Loaded \d+ prompts|Loaded \d+ resources|orchestra started successfully/g,
			),
		];
		expect(steps.map(([step]) => step.replaceAll(/\d+/g, 'N'))).toEqual([
			'Starting orchestra vN',
			'Loaded N prompts',
			'Loaded N resources',
			'orchestra started successfully',
		]);
	});

	it.each(['RESOURCES_PATH', 'PROMPTS_PATH'])(
		'exits 1 when %s names no folder, and names both',
		async (variable) => {
			const { stdout, stderr, code } = await mctl(['serve'], {
				cwd: workspace({}),
				env: { [variable]: 'nowhere' },
			});
			expect([stdout, code]).toEqual(['', 1]);
			expect(stderr).toMatch(new RegExp(`${variable} names .*nowhere, and there is no such folder`));
		},
	);

	it.each(['legacy', 'auto', 'modern'])(
		'serves tools, prompts and resources to the SDK 2.x client in %s mode',
		async (mode) => {
			const pinned = mode === 'modern' ? { pin: '2026-07-28' } : (mode as 'legacy' | 'auto');
			const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: pinned } });
			await client.connect(transport(workspace({ 'greet.sh': greetTool })));
			clients.push(client);
			expect((await client.listTools()).tools.map(({ name }) => name)).toContain('greet');
			expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
				content: [{ text: 'Hello, Ada' }],
			});
			expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
			const found = await client.readResource({ uri: 'orchestr8://match?query=write+a+tool+in+python' });
			expect(JSON.stringify(found.contents)).toContain('orchestr8://');
		},
	);

	it('serves the SDK 1.x client, with progress', async () => {
		const client = new ClientV1({ name: 'test', version: '1' });
		// This client drops progress that comes in the same chunk as the result.
		const slowly = greetTool.replace('echo \'{"type":"result"', 'sleep 0.3\necho \'{"type":"result"');
		await client.connect(transport(workspace({ 'greet.sh': slowly })));
		clients.push(client);
		const received: number[] = [];
		await client.callTool({ name: 'greet', arguments: { name: 'Ada' } }, undefined, {
			onprogress: ({ progress }) => received.push(progress),
		});
		expect(received.length).toBeGreaterThan(0);
	});

	it('answers wrong input with a result that names each wrong field', async () => {
		const client = await serve(workspace({ 'greet.sh': greetTool }));
		expect(await client.request('tools/call', { name: 'greet', arguments: { name: 5 } })).toMatchObject({
			isError: true,
			content: [{ text: expect.stringContaining('name') }],
		});
	});

	it('stops the whole process group of a tool whose request is canceled', async () => {
		const folder = workspace({ 'slow.sh': slowTool });
		const logs: unknown[] = [];
		const client = await serve(folder, (params) => logs.push(params));
		await client.request('logging/setLevel', { level: 'debug' });
		const controller = new AbortController();
		const call = client
			.request('tools/call', { name: 'slow' }, { signal: controller.signal })
			.catch((error: unknown) => error);
		await until('the tool said its pid', () => logs.length > 0);
		const pid = Number(JSON.stringify(logs[0]).match(/pid (\d+)/)?.[1]);
		controller.abort();
		expect(await call).toMatchObject({ code: 'canceled' });
		await until('it is gone', () => !isAlive(pid));
	});

	it('finds a new tool, and notifies its clients', async () => {
		const folder = workspace({ 'greet.sh': greetTool });
		const received: string[] = [];
		const client = await serve(folder, (_, method) => received.push(method));
		await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		await client.request('tools/list');
		writeTool(folder, 'second.sh', greetTool.replaceAll('greet', 'second'));
		await until('the change is announced', () => received.includes('notifications/tools/list_changed'));
		expect(JSON.stringify(await client.request('tools/list'))).toContain('"second"');
	});

	it.runIf(runsAllTests)('sees a tool in a folder that did not exist', async () => {
		const folder = temporaryFolder();
		const received: string[] = [];
		const client = await serve(folder, (_, method) => received.push(method));
		await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		await client.request('tools/list');
		mkdirSync(join(folder, 'tools'));
		writeTool(folder, 'greet.sh', greetTool);
		await until('the change is announced', () => received.includes('notifications/tools/list_changed'));
		await until('it is listed', async () => {
			return JSON.stringify(await client.request('tools/list')).includes('"greet"');
		});
	});

	it('sends no notification when a tool writes into its own folder', async () => {
		const folder = workspace({ 'greet.sh': greetTool.replace('echo', 'date > last-run\necho') });
		const received: string[] = [];
		const client = await serve(folder, (_, method) => received.push(method));
		await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		await client.request('tools/list');
		await client.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
		writeTool(folder, 'second.sh', greetTool.replaceAll('greet', 'second'));
		await until('a real change is announced', () => received.includes('notifications/tools/list_changed'));
		expect(received.filter((method) => method === 'notifications/tools/list_changed')).toHaveLength(1);
	});

	it.runIf(runsAllTests)(
		'runs a bounded number of a burst of calls at a time, and answers each',
		async () => {
			const folder = workspace({ 'count.sh': countTool });
			writeFileSync(join(folder, 'orchestra.json'), '{ "limits": { "toolsAtOnce": 3 } }');
			const client = await serve(folder);
			const calls = Array.from({ length: 60 }, () => client.request('tools/call', { name: 'count' }));
			const most = (await Promise.all(calls)).map((answer) =>
				Number(JSON.stringify(answer).match(/runs (\d+)/)?.[1]),
			);
			expect(most).toHaveLength(60);
			expect(Math.max(...most)).toBeLessThanOrEqual(3);
		},
	);

	it('does not list a tool whose program is not installed, and a call of it gets the reason', async () => {
		const folder = workspace({ 'greet.sh': greetTool });
		mkdirSync(join(folder, 'tools', 'odd'));
		writeFileSync(join(folder, 'tools', 'odd', 'manifest.json'), oddManifest);
		const client = await serve(folder);
		expect(JSON.stringify(await client.request('tools/list'))).not.toContain('"odd"');
		const answer = JSON.stringify(
			await client.request('tools/call', { name: 'odd' }).catch((error: unknown) => String(error)),
		);
		expect(answer).toContain('odd needs no-such-runtime, which is not installed');
		expect(answer).not.toContain('/bin');
	});

	it('applies a changed configuration without a restart, and notifies its clients', async () => {
		const folder = workspace({ 'greet.sh': greetTool });
		const elsewhere = workspace({ 'other.sh': greetTool.replaceAll('greet', 'other') });
		const received: string[] = [];
		const client = await serve(folder, (_, method) => received.push(method));
		await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		await client.request('tools/list');
		writeFileSync(
			join(folder, 'orchestra.json'),
			JSON.stringify({ tools: { roots: [join(elsewhere, 'tools')] } }),
		);
		await until('the change is announced', () => received.includes('notifications/tools/list_changed'));
		expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'other' }] });
	});

	it('keeps running calls when the configuration changes', async () => {
		const wait = slowTool
			.replace('sleep 300 &', '')
			.replace(
				'wait\n',
				`sleep 1.5\necho '{"type":"result","ts":"2025-02-25T10:00:00.000Z","toolId":"slow","payload":{"text":"done"}}'\n`,
			);
		const folder = workspace({ 'slow.sh': wait });
		const more = workspace({ 'other.sh': greetTool.replaceAll('greet', 'other') });
		const received: string[] = [];
		const client = await serve(folder, (_, method) => received.push(method));
		await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		await client.request('logging/setLevel', { level: 'debug' });
		await client.request('tools/list');
		const call = client.request('tools/call', { name: 'slow' });
		await until('it runs', () => received.includes('notifications/message'));
		writeFileSync(
			join(folder, 'orchestra.json'),
			JSON.stringify({ tools: { roots: ['tools', join(more, 'tools')] } }),
		);
		await until('the change is announced', () => received.includes('notifications/tools/list_changed'));
		const result = await call;
		expect(result).toMatchObject({ content: [{ text: 'done' }] });
		expect(result).not.toHaveProperty('isError');
	});

	it('serves the valid entries of a configuration and warns about the rest', async () => {
		const folder = workspace({ 'greet.sh': greetTool });
		writeFileSync(join(folder, 'orchestra.json'), '{ "tools": { "roots": "./tools" }, "nonsense": 1, }');
		const { stdout, stderr, code } = await mctl(['serve'], {
			cwd: folder,
			input: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
		});
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toHaveProperty('result.tools');
		expect(stderr).toMatch(/orchestra\.json/);
	});

	it.runIf(runsAllTests)('answers 1,000 calls in flight', async () => {
		const client = await serve(workspace({}));
		const calls = Array.from({ length: 1000 }, (_, n) => client.request('prompts/list', { n }));
		const answers = await Promise.all(calls);
		expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
	});

	it.runIf(runsAllTests)('logs the end of the start after everything is loaded', async () => {
		const child = startMctl(['serve'], { cwd: workspace({}), env: { HOME: temporaryFolder() } });
		let stderr = '';
		child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
		await until('it has started', () => stderr.includes('orchestra started successfully'));
		child.stdin.end();
		await once(child, 'close');
		const lines = ['Starting orchestra', ' prompts', ' resources', 'orchestra started successfully'];
		const places = lines.map((line) => stderr.indexOf(line));
		expect(places).toEqual([...places].sort((a, b) => a - b));
		expect(places).not.toContain(-1);
	});

	it.each(['{ "tools": ', ''])('exits 1 when the one file that it was given is %j', async (text) => {
		const folder = workspace({});
		writeFileSync(join(folder, 'mine.json'), text);
		const { code, stderr, stdout } = await mctl(['serve', '--config', 'mine.json'], { cwd: folder });
		expect([code, stdout]).toEqual([1, '']);
		expect(stderr).toMatch(/\[ERROR\] \[orchestra\] orchestra could not start: .*mine\.json/);
		expect(stderr).not.toContain('started successfully');
	});

	it('omits itself from the servers of its own configuration, and logs it', async () => {
		const folder = workspace({ 'greet.sh': greetTool });
		const own = { mcpServers: { orchestra: { command: 'mctl', args: ['serve'] } } };
		writeFileSync(join(folder, '.mcp.json'), JSON.stringify(own));
		const input = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
		const { stderr, code } = await mctl(['serve'], { input, cwd: folder });
		expect(code).toBe(0);
		expect(stderr).toContain('is this program itself, so it is not started from here');
		expect(stderr).not.toContain('not served by the hub yet');
	});

	it('refuses a configuration file that does not exist', async () => {
		const { code, stderr, stdout } = await mctl(['serve', '--config', 'nope.json'], { cwd: workspace({}) });
		expect([code, stdout]).toEqual([64, '']);
		expect(stderr).toBe(
			'mctl: there is no configuration file nope.json\nhint: usage: mctl serve [--view NAME | --skill NAME] [--config FILE] [--examples]\n',
		);
	});

	it('refuses unexpected arguments', async () => {
		const { code, stderr } = await mctl(['serve', 'here'], { cwd: workspace({}) });
		expect([code, stderr]).toEqual([
			64,
			'mctl: unexpected argument "here": mctl serve takes flags only\nhint: usage: mctl serve [--view NAME | --skill NAME] [--config FILE] [--examples]\n',
		]);
	});
});

/** A tool in shell: greets, with progress, checked by a schema. */
const greetTool = `#!/bin/sh
# mctl: {"manifestVersion":1,"id":"greet","version":"1.0.0","name":"Greet","description":"Say hello",
# mctl:  "inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}
ts=2026-01-01T00:00:00.000Z
name=$(sed 's/.*"name":"\\([^"]*\\)".*/\\1/')
echo '{"type":"started","ts":"'$ts'","toolId":"greet","payload":{}}'
echo '{"type":"progress","ts":"'$ts'","toolId":"greet","payload":{"progress":1,"total":2,"message":"half"}}'
echo '{"type":"result","ts":"'$ts'","toolId":"greet","payload":{"text":"Hello, '$name'"}}'
`;

/** Says how many of its kind run. */
const countTool = `#!/bin/sh
# mctl: {"manifestVersion":1,"id":"count","version":"1.0.0","name":"Count","description":"Counts runs"}
: > run-$$
sleep 0.1
set -- run-*
echo '{"type":"result","ts":"2026-01-01T00:00:00.000Z","toolId":"count","payload":{"text":"runs '$#'"}}'
rm run-$$
`;

const oddManifest =
	'{"manifestVersion":1,"id":"odd","version":"1.0.0","name":"Odd","description":"x","command":["no-such-runtime"]}';

const slowTool = `#!/bin/sh
# mctl: {"manifestVersion":1,"id":"slow","version":"1.0.0","name":"Slow","description":"Takes its time"}
ts=2026-01-01T00:00:00.000Z
echo '{"type":"started","ts":"'$ts'","toolId":"slow","payload":{}}'
sleep 300 &
echo '{"type":"log","ts":"'$ts'","toolId":"slow","payload":{"level":"info","message":"pid '$!'"}}'
wait
`;

function workspace(tools: Record<string, string>): string {
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'tools'));
	for (const [name, text] of Object.entries(tools)) writeTool(folder, name, text);
	return folder;
}

function writeTool(folder: string, name: string, text: string): void {
	writeFileSync(join(folder, 'tools', name), text);
	chmodSync(join(folder, 'tools', name), 0o755);
}

function transport(cwd: string): OrchestraClientTransport {
	const env = { ORCHESTRA_TRUST: 'all' };
	return new OrchestraClientTransport({ command: process.execPath, args: [main, 'serve'], cwd, env }, {});
}

async function serve(
	cwd: string,
	onNotification?: (params: unknown, method: string) => void,
): Promise<Client> {
	const client = await Client.open(
		{ command: process.execPath, args: [main, 'serve'], cwd, env: { ORCHESTRA_TRUST: 'all' } },
		{ onNotification: (method, params) => onNotification?.(params, method) },
	);
	clients.push(client);
	return client;
}
