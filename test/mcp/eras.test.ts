/* Which era a message belongs to, and what the results of each look like. */
import { describe, expect, it } from 'vitest';
import { hasSchemas, schemaFaults } from '../support/mcp-schemas.ts';
import { kitchenSink } from '../support/mcp-server.ts';
import { MODERN, modernMeta, RawClient } from '../support/raw-client.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const echo = { name: 'echo', arguments: { text: 'hi' } };

describe('the official schemas', () => {
	it.skipIf(!hasSchemas)('are at hand, and notice a wrong message', () => {
		for (const version of [...legacyVersions, MODERN]) {
			expect(schemaFaults(version, 'ListToolsResult', { tools: [{ name: 5 }] })).not.toEqual([]);
			expect(schemaFaults(version, 'ServerNotification', { jsonrpc: '2.0', method: 'x' })).not.toEqual([]);
		}
	});
});

describe('the era of a request', () => {
	it('is modern when its _meta names a version, whatever came before', async () => {
		const client = await RawClient.legacy(kitchenSink());
		expect((await client.modern('tools/call', echo))['result'].resultType).toBe('complete');
		expect((await client.request('tools/call', echo))['result']).toEqual({
			content: [{ type: 'text', text: 'hi' }],
		});
		expect((await client.modern('server/discover'))['result'].supportedVersions).toEqual([MODERN]);
		await client.end();
	});

	it('may be mixed on one connection, concurrently', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const later = { name: 'later', arguments: { text: 'x' } };
		const pairs = Array.from({ length: 200 }, () => [
			client.modern('tools/call', later),
			client.request('tools/call', later),
		]);
		for (const [modern, legacy] of await Promise.all(pairs.map((pair) => Promise.all(pair)))) {
			expect(modern?.['result'].resultType).toBe('complete');
			expect(modern?.['result']._meta[SERVER_INFO]).toMatchObject({ name: 'sink' });
			expect(legacy?.['result']).toEqual({ content: [{ type: 'text', text: 'x' }] });
		}
		await client.end();
	});

	it('is legacy before any initialize, and such requests are served', async () => {
		const client = new RawClient(kitchenSink());
		expect((await client.request('ping'))['result']).toEqual({});
		expect((await client.request('tools/call', echo))['result'].content[0].text).toBe('hi');
		await client.end();
	});

	it('lets a modern client open a legacy session later', async () => {
		const client = new RawClient(kitchenSink());
		await client.modern('tools/list');
		expect((await client.initialize('2025-06-18'))['result'].protocolVersion).toBe('2025-06-18');
		await client.end();
	});
});

describe('the modern era', () => {
	it.each([
		'server/discover',
		'tools/list',
		'tools/call',
		'prompts/get',
		'resources/read',
		'completion/complete',
		'subscriptions/listen',
		'no/such/method',
	])('checks the version of every request: %s', async (method) => {
		const client = new RawClient(kitchenSink());
		await client.modern('server/discover');
		for (const version of ['2099-01-01', '2025-11-25', '']) {
			const _meta = modernMeta({}, { [VERSION]: version });
			expect((await client.request(method, { ...echo, _meta }))['error']).toMatchObject({
				code: -32022,
				data: { supported: [MODERN], requested: version },
			});
		}
		await client.end();
	});

	it.each([VERSION, CAPABILITIES])('refuses a request without %s, naming it', async (field) => {
		const client = new RawClient(kitchenSink());
		for (const method of ['server/discover', 'tools/list', 'tools/call']) {
			for (const wrong of [undefined, 5, null]) {
				const { error } = await client.request(method, {
					...echo,
					_meta: modernMeta({}, { [field]: wrong }),
				});
				expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(field) });
			}
		}
		await client.end();
	});

	it('asks for _meta where the method exists in the modern era only', async () => {
		const client = new RawClient(kitchenSink());
		for (const method of ['server/discover', 'subscriptions/listen']) {
			expect((await client.request(method, {}))['error'].code).toBe(-32602);
			expect((await client.request(method))['error'].code).toBe(-32602);
		}
		await client.end();
	});

	it('needs no clientInfo', async () => {
		const client = new RawClient(kitchenSink());
		const _meta = { [VERSION]: MODERN, [CAPABILITIES]: {} };
		expect((await client.request('tools/list', { _meta }))['result'].tools).not.toEqual([]);
		await client.end();
	});

	it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'x/y'])(
		'has no method %s',
		async (method) => {
			const client = new RawClient(kitchenSink());
			expect((await client.modern(method, { uri: 'note://one', level: 'info' }))['error'].code).toBe(-32601);
			await client.end();
		},
	);

	it('says what a result is and who gave it, and how long lists and reads may be cached', async () => {
		const client = new RawClient(kitchenSink());
		const cacheable = [
			client.modern('server/discover'),
			client.modern('tools/list'),
			client.modern('prompts/list'),
			client.modern('resources/list'),
			client.modern('resources/templates/list'),
			client.modern('resources/read', { uri: 'note://one' }),
		];
		for (const { result } of await Promise.all(cacheable)) {
			expect(result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
			expect(result.ttlMs).toBeGreaterThanOrEqual(0);
			expect(result._meta[SERVER_INFO]).toEqual({ name: 'sink', title: 'Kitchen sink', version: '1.0.0' });
		}
		const { result } = await client.modern('tools/call', echo);
		expect(Object.keys(result).sort()).toEqual(['_meta', 'content', 'resultType']);
		await client.end();
	});

	it('never writes a request', async () => {
		const client = new RawClient(kitchenSink());
		await client.modern('tools/call', { name: 'name' }, { elicitation: {} });
		expect(client.received.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([]);
		await client.end();
	});

	it('gives the tool what came in _meta, traceparent too', async () => {
		const client = new RawClient(kitchenSink());
		const more = { traceparent: '00-abc', 'example.com/x': 1 };
		const { result } = await client.modern('tools/call', { name: 'context' }, { roots: {} }, more);
		expect(result.structuredContent).toMatchObject({
			meta: more,
			clientInfo: { name: 'raw' },
			clientCapabilities: { roots: {} },
			version: MODERN,
		});
		await client.end();
	});
});

describe('the legacy era', () => {
	it.each(legacyVersions)('opens a session of %s when asked for it', async (version) => {
		const client = new RawClient(kitchenSink());
		expect((await client.initialize(version))['result']).toEqual({
			protocolVersion: version,
			serverInfo: { name: 'sink', title: 'Kitchen sink', version: '1.0.0' },
			instructions: 'Call anything.',
			capabilities: {
				tools: { listChanged: true },
				resources: { listChanged: true, subscribe: true },
				prompts: { listChanged: true },
				completions: {},
				logging: {},
			},
		});
		for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
			expect((await client.request(method))['error']).toBeUndefined();
		await client.end();
	});

	it.each(['2099-01-01', MODERN, '', 5, undefined])(
		'answers an initialize for %s with the newest legacy version',
		async (version) => {
			const client = new RawClient(kitchenSink());
			expect((await client.initialize(version as string))['result'].protocolVersion).toBe('2025-11-25');
			await client.end();
		},
	);

	it('carries nothing of the modern era in its results', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const answers = await Promise.all([
			client.request('tools/list'),
			client.request('tools/call', echo),
			client.request('resources/read', { uri: 'note://one' }),
			client.request('prompts/get', { name: 'greet', arguments: { who: 'Ann' } }),
		]);
		expect(JSON.stringify(answers)).not.toMatch(/resultType|ttlMs|cacheScope|serverInfo/);
		await client.end();
	});

	it('strips it from what a provider passes on', async () => {
		const client = await RawClient.legacy({
			info: { name: 'hub', version: '1' },
			capabilities: ['tools'],
			list: () => [],
			request: () => ({
				content: [],
				resultType: 'complete',
				ttlMs: 5,
				cacheScope: 'public',
				_meta: { [SERVER_INFO]: { name: 'child', version: '1' }, 'example.com/kept': true },
				extra: 1,
			}),
		});
		expect((await client.request('tools/call', echo))['result']).toEqual({
			content: [],
			_meta: { 'example.com/kept': true },
			extra: 1,
		});
		await client.end();
	});

	it('answers a method that does not exist with -32601', async () => {
		const client = await RawClient.legacy(kitchenSink());
		expect((await client.request('no/such'))['error'].code).toBe(-32601);
		await client.end();
	});

	it('declares only the capabilities of the provider', async () => {
		const bare = {
			info: { name: 'bare', version: '1' },
			capabilities: [],
			list: () => [],
			request: () => ({}),
		};
		const client = await RawClient.legacy(bare);
		const methods = [
			'tools/list',
			'tools/call',
			'prompts/list',
			'prompts/get',
			'resources/list',
			'resources/templates/list',
			'resources/read',
			'resources/subscribe',
			'completion/complete',
		];
		for (const method of methods)
			expect((await client.request(method, { uri: 'x', name: 'x' }))['error'].code).toBe(-32601);
		await client.end();
	});
});
