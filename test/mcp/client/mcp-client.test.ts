/* The client against our own server, in both eras. */

import { describe, expect, it } from 'vitest';
import type { McpClientOptions } from '../../../src/mcp/client/call-options.ts';
import type { McpClient } from '../../../src/mcp/client/mcp-client.ts';
import type { ServerDefinition } from '../../../src/mcp/define/definition.ts';
import { provide } from '../../../src/mcp/define/serve.ts';
import { INPUT_ROUNDS_LIMIT } from '../../../src/mcp/mcp-limits.ts';
import type { ElicitParams } from '../../../src/protocol/client-methods.ts';
import { memoryPair } from '../../../src/transport/memory-transport.ts';
import { kitchenSink } from '../../support/mcp-server.ts';
import { clientOf, failure, fixtureServer, inProcess, misbehaving } from '../../support/servers.ts';
import { deferred, until } from '../../support/waiting.ts';

const answers = {
	elicit: ({ message }: ElicitParams) => ({ action: 'accept' as const, content: { name: message } }),
	sample: () => ({
		role: 'assistant' as const,
		content: { type: 'text' as const, text: 'yes' },
		model: 'none',
	}),
	roots: () => [{ uri: 'file:///work' }],
};

it('receives the note of a server that the user is done with a page', async () => {
	const client = await clientOf(fixtureServer('servers/gateway-server.mjs'));
	const done: string[] = [];
	client.onElicitationComplete((id) => done.push(id));
	const params = { elicitationId: 'a page' };
	await client.callTool('update', { later: { method: 'elicitation/complete', params } });
	await until('it is received', () => done.length === 1);
	expect(done).toEqual(['a page']);
});

describe.each(['legacy', 'modern'] as const)('a client of a %s server', (era) => {
	it('knows the server', async () => {
		const client = await sink(era);
		expect(client).toMatchObject({
			era,
			serverInfo: { name: 'sink', version: '1.0.0' },
			instructions: 'Call anything.',
			pid: undefined,
		});
		expect(client.capabilities).toHaveProperty('tools');
		await client.ping();
	});

	it('lists everything', async () => {
		const client = await sink(era);
		expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
		expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('greet');
		expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain('note://one');
		const { resourceTemplates } = await client.listResourceTemplates();
		expect(resourceTemplates).toMatchObject([{ uriTemplate: 'note://by-id/{id}' }]);
	});

	it('calls tools, gets prompts, reads resources and completes arguments', async () => {
		const client = await sink(era);
		expect(await client.callTool('echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
		expect(await client.callTool('fail')).toMatchObject({ isError: true });
		expect(await client.getPrompt('greet', { who: 'Ann' })).toMatchObject({
			messages: [{ content: { text: 'Greet Ann.' } }],
		});
		expect(await client.readResource('note://one')).toMatchObject({ contents: [{ text: 'first note' }] });
		const query = {
			ref: { type: 'ref/prompt', name: 'greet' },
			argument: { name: 'who', value: 'A' },
		} as const;
		const { values } = await client.complete({ ...query, context: { arguments: { how: 'x' } } });
		expect(values[0]).toBe('Ax0');
	});

	it('answers the client requests of the server', async () => {
		const client = await sink(era, answers);
		const { content } = await client.callTool('everything');
		expect(content).toMatchObject([{ text: expect.stringMatching(/Which name.*"yes".*file:\/\/\/work/) }]);
		expect(await client.getPrompt('asks')).toMatchObject({ messages: [{}] });
		expect(await client.readResource('note://secret')).toMatchObject({ contents: [{ text: 'opened' }] });
	});

	it('declares only what it has handlers for', async () => {
		const client = await sink(era, { roots: () => [], capabilities: { experimental: { x: {} } } });
		const { structuredContent } = await client.callTool('context');
		expect(structuredContent).toMatchObject({ clientCapabilities: { roots: {}, experimental: { x: {} } } });
		expect(structuredContent).not.toHaveProperty('clientCapabilities.elicitation');
		expect(
			await client.callTool('name').then(
				({ isError }) => isError,
				() => true,
			),
		).toBe(true);
	});

	it('is released from a client request at once when it cancels', async () => {
		const asked = deferred<AbortSignal>();
		const client = await sink(era, {
			elicit: (_params, { signal }) => {
				asked.resolve(signal);
				return new Promise(() => {});
			},
		});
		const abort = new AbortController();
		const call = failure(client.callTool('name', {}, { signal: abort.signal }));
		const signal = await asked.promise;
		abort.abort(new Error('changed my mind'));
		expect(await call).toMatchObject({ code: 'canceled' });
		await until('the question is canceled, too', () => signal.aborted);
	});

	it('fails a call when the total time is over, client requests included', async () => {
		const client = await sink(era, { elicit: () => new Promise(() => {}) });
		const error = await failure(client.callTool('name', {}, { maxMs: 30 }));
		expect(error).toMatchObject({ code: 'timeout', data: { kind: 'total', timeoutMs: 30, phase: 'call' } });
	});

	it('receives progress and logs of a call', async () => {
		const client = await sink(era);
		const events: unknown[] = [];
		await client.callTool(
			'work',
			{},
			{ onProgress: ({ progress }) => events.push(progress), onLog: ({ level }) => events.push(level) },
		);
		expect(events).toEqual([1, 'error', 2]);
	});

	it('receives logs of all calls at the level that it sets', async () => {
		const client = await sink(era);
		const levels: string[] = [];
		const remove = client.onLog(({ level }) => levels.push(level));
		await client.setLogLevel('debug');
		await client.callTool('work');
		expect(levels).toEqual(['debug', 'error']);
		remove();
		await client.callTool('work');
		expect(levels).toHaveLength(2);
	});

	it('receives changes of resources that it subscribed to', async () => {
		const provider = kitchenSink();
		const client = await clientOf(inProcess(provider), { knownEra: era });
		const changes: unknown[] = [];
		client.onChange(() => {
			throw new Error('a listener may fail');
		});
		client.onChange((change) => changes.push(change));
		await client.subscribe('note://one');
		provider.notifyChange({ kind: 'resource', uri: 'note://one' });
		await until('the change is received', () => changes.length === 1);
		await client.unsubscribe('note://one');
		expect(changes).toEqual([{ kind: 'resource', uri: 'note://one' }]);
	});

	it('checks structured results against the schema of the last listing', async () => {
		const client = await sink(era);
		expect((await client.callTool('sum', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
		await client.listTools();
		expect((await client.callTool('sum', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
		const error = await failure(liar(era).then((lying) => lying.callTool('sum')));
		expect(error).toMatchObject({ code: 'bad_frame', data: { tool: 'sum' } });
		expect(error.message).toContain('structuredContent.sum must be number');
		const lax = await liar(era, { checksOutput: false });
		expect((await lax.callTool('sum')).structuredContent).toEqual({ sum: 'three' });
	});

	it('closes twice, and as an async disposable', async () => {
		const client = await clientOf(fixtureServer('mcp-server.mjs'), { knownEra: era });
		const { pid = 0 } = client;
		const pending = failure(client.callTool('hang'));
		await Promise.all([client.close(), client[Symbol.asyncDispose]()]);
		expect(await pending).toMatchObject({ code: 'closed' });
		expect(() => process.kill(pid, 0)).toThrow();
	});

	it('reports its end when the server dies', async () => {
		const client = await clientOf(misbehaving(era === 'modern' ? 'modern' : 'normal'));
		const ended = deferred<string>();
		client.onEnd(({ code }) => ended.resolve(code));
		await failure(client.callTool('exit'));
		expect(await ended.promise).toBe('closed');
		expect(client.diagnose()).toMatchObject({ process: { exitCode: 9 }, inFlight: 0 });
	});
});

describe('a modern call that asks for input', () => {
	it('is retried with the exact state until it is complete', async () => {
		const client = await sink('modern', answers);
		const { content } = await client.callTool('stateful');
		expect(content).toMatchObject([{ text: expect.stringMatching(/^round 2: \{"b":/) }]);
	});

	it('ends after a bounded number of rounds', async () => {
		const client = await clientOf(misbehaving('modern'), answers);
		const error = await failure(client.callTool('ask'));
		expect(error.message).toBe(`tools/call still asks for input after ${INPUT_ROUNDS_LIMIT} rounds`);
	});

	it('fails when there is no handler for the client request', async () => {
		const client = await clientOf(misbehaving('modern'));
		expect(await failure(client.callTool('ask'))).toMatchObject({ code: 'rpc' });
	});
});

describe('the target of a client', () => {
	it.each([
		['a stdio: URI', () => `stdio:${[process.execPath, ...(misbehaving('normal').args ?? [])].join(' ')}`],
		['an entry of mcpServers', () => ({ type: 'stdio' as const, ...misbehaving('normal') })],
		['a transport', () => inProcess(kitchenSink())],
	])('may be %s', async (_name, target) => {
		const client = await clientOf(target());
		expect(await client.callTool('echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
	});

	it.each([{}, 'cat', { url: 'ftp://x' }])('is refused when it is none of these: %j', async (target) => {
		// As a program without types would pass it.
		expect(await failure(clientOf(target as never))).toMatchObject({ code: 'bad_input' });
	});

	it('says what to do when a transport ends on the probe', async () => {
		const [ours, theirs] = memoryPair();
		theirs.start({ message: () => void theirs.close(), oversize: () => {}, end: () => {} });
		expect((await failure(clientOf(ours))).hint).toContain("knownEra: 'legacy'");
	});
});

function sink(era: 'legacy' | 'modern', options: McpClientOptions = {}): Promise<McpClient> {
	return clientOf(inProcess(kitchenSink()), { ...options, knownEra: era });
}

/** A client of a server whose tool does not do what its listing says. */
async function liar(era: 'legacy' | 'modern', options: McpClientOptions = {}): Promise<McpClient> {
	const definition: ServerDefinition = {
		name: 'liar',
		version: '1',
		tools: { sum: { run: () => ({ content: [], structuredContent: { sum: 'three' } }) } },
	};
	const provider = provide(definition);
	const outputSchema = { type: 'object', properties: { sum: { type: 'number' } } };
	const tool = { name: 'sum', inputSchema: { type: 'object' }, outputSchema };
	const lying = Object.assign(provider, { list: () => [tool] });
	const client = await clientOf(inProcess(lying), { ...options, knownEra: era });
	await client.listTools();
	return client;
}
