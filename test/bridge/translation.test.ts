/* The bridge in front of an orchestrator that knows nothing of MCP, line by line. */

import { describe, expect, it } from 'vitest';
import { toolFailure } from '../../src/errors.ts';
import { EXACT_JSON } from '../../src/plugin/features.ts';
import type { StorageListRequest, ToolRequest } from '../../src/plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers, ServerCall } from '../../src/plugin/server/handlers.ts';
import { initialize, openBridge, startBridge, startOrchestrator } from '../support/bridges.ts';
import { deferred } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const created = 'Created project: My App (slug: my-app)';
const createProject =
	'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_project","arguments":{"name":"My App"}}}';

describe('the exact lines of the translation', () => {
	it('are those of the contract, from the real process', async () => {
		const folder = temporaryFolder();
		const orchestrator = await startOrchestrator({ folder }, projects());
		const { client, stderr } = startBridge(orchestrator);
		client.send(initialize);
		expect(await client.answer(1)).toBe(
			'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"orchestra","version":"1.0.0"}}}',
		);
		client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}', createProject);
		expect(await client.answer(3)).toBe(
			`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"${created}"}]}}`,
		);
		client.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
		expect(await client.answer(1)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
		client.send('{"jsonrpc":"2.0","id":1,"method":"some/unknown"}');
		expect(await client.answer(1)).toBe(
			'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: some/unknown"}}',
		);
		expect(stderr()).toBe(`transport.stdio: connected to orchestrator at ${orchestrator.address}\n`);
	});

	it('list a tool with its schema, and an object schema where there is none', async () => {
		const { client } = await bridgeTo(projects());
		client.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
		expect(await client.answer(2)).toBe(
			'{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"bare","description":"No schema","inputSchema":{"type":"object"}},' +
				'{"name":"create_project","description":"Create a new project workspace","inputSchema":{"type":"object","properties":{"name":{"type":"string"}}}}]}}',
		);
	});
});

describe('a tool call through the translation', () => {
	it('carries the ids, the caller, the session and the arguments', async () => {
		const seen: [ServerCall, ToolRequest][] = [];
		const { client } = await bridgeTo({
			toolCall: (request, call) => {
				seen.push([call, request]);
				return { success: true };
			},
		});
		await client.call(3, 'tools/call', {
			name: 'a',
			arguments: { deep: [1, null, { x: true }] },
			_meta: { traceparent: '00-ab-cd-01' },
		});
		await client.call('x', 'tools/call', { name: 'b' });
		expect(seen.map(([{ requestId }]) => requestId)).toEqual(['stdio-tc-3', 'stdio-tc-x']);
		const [[, first], [, second]] = seen as [[ServerCall, ToolRequest], [ServerCall, ToolRequest]];
		expect(first).toMatchObject({
			toolName: 'a',
			arguments: { deep: [1, null, { x: true }] },
			callerPlugin: 'transport.stdio',
			traceParent: '00-ab-cd-01',
		});
		expect(first.sessionId).not.toBe('');
		expect(second.sessionId).toBe(first.sessionId);
	});

	it.each([
		[{ success: true, result: { text: 'hello', more: 1 } }, { content: [{ type: 'text', text: 'hello' }] }],
		[{ success: true, result: { a: 1 } }, { content: [{ type: 'text', text: '{"a":1}' }] }],
		[{ success: true }, { content: [{ type: 'text', text: '{}' }] }],
		[
			{ success: false, errorCode: 'validation_error' },
			{ content: [{ type: 'text', text: 'tool error: validation_error' }], isError: true },
		],
		[
			{ success: false, errorCode: 'x', errorMessage: 'no such project' },
			{ content: [{ type: 'text', text: 'no such project' }], isError: true },
		],
	])('gives %j as its result', async (response, result) => {
		const { client } = await bridgeTo({ toolCall: () => response });
		expect((await client.call(1, 'tools/call', { name: 'any' })).result).toEqual(result);
	});

	it('keeps every digit when the orchestrator takes exact JSON', async () => {
		let sent = '';
		const { client } = await bridgeTo({
			register: () => ({ accepted: true, features: [EXACT_JSON] }),
			toolCall: ({ argumentsJson }) => {
				sent = Buffer.from(argumentsJson).toString();
				return { success: true, result: { big: 0 }, resultJson: Buffer.from('{"big":9007199254740993}') };
			},
		});
		client.send(
			'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"big": 9007199254740993}}}',
		);
		expect(await client.answer(1)).toContain('{\\"big\\":9007199254740993}');
		expect(sent).toBe('{"big": 9007199254740993}');
	});

	it('that is slow delays neither a ping nor another call', async () => {
		let release: () => void = () => {};
		const { client } = await bridgeTo({
			toolCall: async ({ toolName }) => {
				if (toolName === 'slow') await new Promise<void>((resolve) => (release = resolve));
				return { success: true, result: { text: toolName } };
			},
		});
		client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } });
		await client.call(2, 'ping');
		await client.call(3, 'tools/call', { name: 'fast' });
		expect(client.lines).toEqual([]);
		release();
		expect(await client.answer(1)).toContain('"text":"slow"');
	});

	it('that the client cancels is canceled at the orchestrator, and not answered', async () => {
		const started = deferred();
		const canceled = deferred();
		const { client } = await bridgeTo({
			toolCall: (_, { signal }) => {
				signal.addEventListener('abort', () => canceled.resolve());
				started.resolve();
				return new Promise(() => {});
			},
		});
		client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'long' } });
		await started.promise;
		client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
		await canceled.promise;
		await client.call(8, 'ping');
		expect(client.lines).toEqual([]);
	});
});

describe('prompts and resources through the translation', () => {
	it('are announced when the orchestrator has them', async () => {
		const { client } = await bridgeTo(library());
		const { result } = await client.call(1, 'initialize', initialize.params);
		expect(result?.['capabilities']).toEqual({ tools: {}, resources: {}, prompts: {} });
	});

	it('are not announced by empty lists', async () => {
		const { client } = await bridgeTo({
			...projects(),
			listPrompts: () => ({ prompts: [] }),
			storageList: () => ({ entries: [] }),
		});
		client.send(initialize);
		expect(await client.answer(1)).toBe(
			'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"orchestra","version":"1.0.0"}}}',
		);
	});

	it.each<[string, PluginHandlers]>([
		['says so', { promptGet: () => Promise.reject(toolFailure('no', { code: 'prompt_not_found' })) }],
		['answers with nothing', { promptGet: () => ({}) }],
	])('refuse an unknown prompt when the orchestrator %s', async (_, handlers) => {
		const { client } = await bridgeTo(handlers);
		const { error } = await client.call(1, 'prompts/get', { name: 'none' });
		expect(error).toMatchObject({ code: -32602, message: 'Unknown prompt: none' });
	});

	it('refuse a missing resource when the orchestrator answers with nothing', async () => {
		const { client } = await bridgeTo({ storageRead: () => ({}) });
		const { error } = await client.call(1, 'resources/read', { uri: 'orchestra://notes/none' });
		expect(error).toMatchObject({ code: -32602 });
	});

	it('list and fill in prompts', async () => {
		const ids: string[] = [];
		const { client } = await bridgeTo(library(ids));
		expect((await client.call(4, 'prompts/list')).result).toEqual({
			prompts: [
				{
					name: 'review',
					description: 'Review',
					arguments: [{ name: 'what', description: 'W', required: true }],
				},
			],
		});
		expect(
			(await client.call(5, 'prompts/get', { name: 'review', arguments: { what: 'x' } })).result,
		).toEqual({
			description: 'Review',
			messages: [{ role: 'user', content: { type: 'text', text: 'Review x' } }],
		});
		expect(ids).toContain('stdio-lp-4');
		expect(ids).toContain('stdio-pg-5');
	});

	it('list, name and read stored files', async () => {
		const { client } = await bridgeTo(library());
		expect((await client.call(1, 'resources/list')).result).toEqual({
			resources: [
				{ uri: 'orchestra://docs/a/b', name: 'a/b', mimeType: 'text/markdown' },
				{ uri: 'orchestra://features/FEAT-1', name: 'FEAT-1', mimeType: 'text/markdown' },
			],
		});
		const templates = (await client.call(2, 'resources/templates/list')).result?.['resourceTemplates'];
		expect(templates).toMatchObject([
			{ uriTemplate: 'orchestra://docs/{id}' },
			{ uriTemplate: 'orchestra://features/{id}' },
			{ uriTemplate: 'orchestra://notes/{id}' },
		]);
		expect((await client.call(3, 'resources/read', { uri: 'orchestra://features/FEAT-1' })).result).toEqual({
			contents: [
				{ uri: 'orchestra://features/FEAT-1', mimeType: 'text/markdown', text: '# features/FEAT-1.md' },
			],
		});
	});

	it.each([
		'orchestra://features/../secret',
		'orchestra://features/%2e%2e/secret',
		'orchestra://features/a%2F..%2Fb',
		'orchestra://other/x',
		'file:///etc/passwd',
		'orchestra://features/gone',
	])('do not find %s', async (uri) => {
		const { client } = await bridgeTo(library());
		const { error } = await client.call(1, 'resources/read', { uri });
		expect(error).toMatchObject({ code: -32602, message: `Resource not found: ${uri}` });
	});
});

describe('errors of the translation', () => {
	it.each([
		['bad JSON', '{"jsonrpc":"2.0","id":1,"method":', -32700, /parse error/],
		['no request', '{"jsonrpc":"2.0","id":1,"method":5}', -32600, /invalid request/],
		[
			'a missing name',
			'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}',
			-32602,
			/^missing required parameter: name$/,
		],
		[
			'an empty name',
			'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}',
			-32602,
			/^missing required parameter: name$/,
		],
		['a request without a method', '{"jsonrpc":"2.0","id":20}', -32600, /needs a `method`/],
		[
			'an unknown log level',
			'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}',
			-32602,
			/loud/,
		],
		[
			'the wrong kind of answer',
			'{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
			-32603,
			/unrecognized request type/,
		],
	])('%s', async (_, line, code, message) => {
		const { client } = await bridgeTo({});
		client.send(line);
		const { error } = JSON.parse(await client.line((answer) => 'error' in answer));
		expect(error.code).toBe(code);
		expect(error.message).toMatch(message);
	});

	it('a known log level is taken without the orchestrator', async () => {
		const { client } = await bridgeTo({});
		expect((await client.call(1, 'logging/setLevel', { level: 'emergency' })).result).toEqual({});
	});

	it('an orchestrator that cannot be reached gives an error with the reason', async () => {
		const folder = temporaryFolder();
		const gone = await startOrchestrator({ folder }, {});
		await gone.close();
		const { client } = openBridge(gone, { queueMs: 50 });
		const { error } = await client.call(1, 'tools/list');
		expect(error).toMatchObject({ code: -32603, data: { code: 'closed', outcome: 'not_run' } });
		expect(error?.message).toContain('nothing listens');
	});

	it.each<[string, PluginHandlers]>([
		['refuses the registration', { register: () => ({ accepted: false, rejectReason: 'who are you' }) }],
		['never answers the registration', { register: () => new Promise(() => {}) }],
		['fails at the registration', { register: () => Promise.reject(new Error('no')) }],
		['drops the stream of the registration', { register: () => ({ rejectReason: 'x'.repeat(17_000_000) }) }],
	])('an orchestrator that %s is used all the same', async (_, handlers) => {
		const { client } = await bridgeTo({ ...projects(), ...handlers });
		client.send(createProject);
		expect(await client.answer(3)).toContain(created);
	});
});

it('translates over TLS as well', async () => {
	const folder = temporaryFolder();
	const orchestrator = await startOrchestrator({ folder, kind: 'tls' }, projects());
	const { client } = openBridge(orchestrator, { kind: 'tls' });
	client.send(createProject);
	expect(await client.answer(3)).toContain(created);
});

async function bridgeTo(handlers: PluginHandlers): Promise<ReturnType<typeof openBridge>> {
	const folder = temporaryFolder();
	return openBridge(await startOrchestrator({ folder }, handlers));
}

function projects(): PluginHandlers {
	const inputSchema = { type: 'object', properties: { name: { type: 'string' } } };
	return {
		listTools: () => ({
			tools: [
				{ name: 'create_project', description: 'Create a new project workspace', inputSchema },
				{ name: 'bare', description: 'No schema' },
			],
		}),
		toolCall: () => ({ success: true, result: { text: created } }),
	};
}

function library(ids: string[] = []): PluginHandlers {
	const input = { name: 'what', description: 'W', required: true };
	const files: Record<string, string[]> = {
		features: ['features/FEAT-1.md'],
		notes: [],
		docs: ['docs/a/b.md'],
	};
	return {
		listPrompts: (_, { requestId }) => {
			ids.push(requestId);
			return { prompts: [{ name: 'review', description: 'Review', arguments: [input] }] };
		},
		promptGet: ({ arguments: { what } }, { requestId }) => {
			ids.push(requestId);
			const content = { type: 'text', text: `Review ${what}` };
			return { description: 'Review', messages: [{ role: 'user', content }] };
		},
		storageList: ({ prefix }: StorageListRequest) => ({
			entries: (files[prefix] ?? []).map((path) => ({ path })),
		}),
		storageRead: ({ path }) => {
			if (path.includes('gone')) throw toolFailure(`no file ${path}`, { code: 'not_found' });
			return { content: new TextEncoder().encode(`# ${path}`) };
		},
	};
}
