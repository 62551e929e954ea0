/* Extensions of MCP behind the hub: what is passed on to a server, and whose pages a client gets. */
import { describe, expect, it } from 'vitest';
import { UriLabels } from '../../../src/hub/catalogue/uri-labels.ts';
import { answerValue } from '../../../src/protocol/mcp-types.ts';
import { JsonText } from '../../../src/wire/json-text.ts';
import { serverWith } from '../../support/modern-server.ts';
import { type ServedHub, serveServers } from '../../support/served-hub.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const UI = 'io.modelcontextprotocol/ui';
const OWN = 'com.example/own';

describe('a modern server that makes a task of a call when its client can poll', () => {
	it.each(['modern', 'legacy'] as const)(
		'runs the call to its end for a %s client without tasks',
		async (era) => {
			const served = await serveServers({ work: serverWith(taskServer) });
			const extensions = { 'com.example/own': {}, [UI]: { mimeTypes: ['text/html'] } };
			const client = await served.client({ era, capabilities: { extensions, tasks: {} } });
			const params = { name: 'work__deploy', arguments: {} };
			const result = await client.request('tools/call', params);
			expect(result).toMatchObject({ content: [{ type: 'text', text: 'deployed' }] });
			expect(result['structuredContent']).toEqual({ extensions: { [UI]: { mimeTypes: ['text/html'] } } });
		},
	);
});

describe('extensions that a client is notified of', () => {
	it.each(['modern', 'legacy'] as const)(
		'are those of known servers that the hub routes, in the %s era',
		async (era) => {
			const served = await serveServers(
				{
					one: declaring({ [UI]: {}, [OWN]: { level: 1 }, [TASKS]: {}, 'com.example/other': {} }),
					two: declaring({ [UI]: {}, [OWN]: { level: 2 }, 'com.example/bad': true }),
				},
				{ more: { extensions: { pass: [OWN] } } },
			);
			await (await served.client()).request('tools/list');
			expect(await announced(served, era)).toMatchObject({ [UI]: {}, [OWN]: {} });
			expect(Object.keys(await announced(served, era))).not.toEqual(
				expect.arrayContaining([expect.stringMatching(/other|bad/)]),
			);
			expect(served.log.filter((line) => line.includes(OWN))).toHaveLength(1);
		},
	);

	it('keep their settings when all servers agree, and are none when no server declares any', async () => {
		const served = await serveServers({
			one: declaring({ [UI]: { a: 1 } }),
			two: declaring({ [UI]: { a: 1 } }),
		});
		await (await served.client()).request('tools/list');
		expect(await announced(served, 'modern')).toMatchObject({ [UI]: { a: 1 } });
		expect(await announced(await serveServers({}), 'modern')).not.toHaveProperty([UI]);
	});
});

describe('extensions that a server is notified of', () => {
	it.each(['modern', 'legacy'] as const)(
		'are those that the %s client declares and the user passes',
		async (era) => {
			const served = await serveServers(
				{ work: serverWith(taskServer) },
				{ more: { extensions: { pass: [OWN] } } },
			);
			const client = await served.client({
				era,
				capabilities: { extensions: { [OWN]: { x: 1 }, 'com.example/b': {} } },
			});
			const result = await client.request('tools/call', { name: 'work__deploy', arguments: {} });
			expect(result['structuredContent']).toEqual({ extensions: { [OWN]: { x: 1 } } });
		},
	);

	it('are those that the hub serves itself, for a legacy server of all clients', async () => {
		const served = await serveServers({ old: serverWith(legacyServer) });
		const client = await served.client();
		expect(JSON.parse(await client.call('old__declared'))).toMatchObject({
			[UI]: { mimeTypes: ['text/html;profile=mcp-app'] },
		});
	});
});

describe('two servers with pages of the same URI', () => {
	it('have each their own page for clients, wherever its URI occurs', async () => {
		const served = await serveServers({ first: pageServer('first'), Second: pageServer('Second') });
		const client = await served.client({ capabilities: { extensions: { [UI]: {} } } });
		const { tools } = (await client.request('tools/list')) as { tools: PageTool[] };
		const uris = tools.map(({ _meta }) => _meta.ui.resourceUri);
		expect(uris).toEqual([expect.stringMatching(/^ui:\/\/second-[\da-f]{8}\/main$/), 'ui://first/main']);
		expect(tools.map(({ _meta }) => _meta['ui/resourceUri'])).toEqual(uris);
		const { resources } = (await client.request('resources/list')) as { resources: { uri: string }[] };
		expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(uris));
		for (const [at, owner] of ['Second', 'first'].entries()) {
			const uri = uris[at] ?? '';
			const page = await client.request('resources/read', { uri });
			expect(page['contents']).toEqual([{ uri, mimeType: 'text/html', text: `page of ${owner}` }]);
			const result = await client.request('tools/call', { name: `${owner}__show`, arguments: {} });
			expect(result['content']).toEqual([
				{ type: 'resource_link', uri, name: 'main' },
				{ type: 'resource', resource: { uri, text: 'inline' } },
			]);
		}
		const templated = await client.request('resources/read', { uri: 'ui://first/item/7' });
		expect(templated['contents']).toMatchObject([{ uri: 'ui://first/item/7', text: 'item 7 of first' }]);
	});

	it.each(['ui://second/main', 'UI://second/main', 'ui\\u003a//second/main', '\\u0055i://second/main'])(
		'name none of the other in a result, as %s',
		(uri) => {
			const text = `{"content":[],"_meta":{"ui":{"resourceUri":"${uri}"}}}`;
			const result = answerValue(new UriLabels('first').result(new JsonText(text)));
			expect(result['_meta']).toEqual({ ui: { resourceUri: 'ui://first/second/main' } });
		},
	);

	it('give no page for a URI without its server', async () => {
		const served = await serveServers({ first: pageServer('first') });
		const client = await served.client();
		await client.request('resources/list');
		for (const uri of ['ui://main', 'ui://other/main', 'ui://item/7'])
			await expect(client.request('resources/read', { uri })).rejects.toThrow(/not found/i);
	});

	it('say the URI that was asked for, also of another scheme', async () => {
		const served = await serveServers({ first: pageServer('first'), second: pageServer('second') });
		const client = await served.client();
		for (const uri of ['note://1', 'orchestra+second:note://1']) {
			const { contents } = await client.request('resources/read', { uri });
			expect(contents).toMatchObject([{ uri }]);
		}
	});
});

/** The extensions in the answer to `server/discover` or `initialize`. */
async function announced(served: ServedHub, era: 'legacy' | 'modern'): Promise<object> {
	const client = await served.client({ era });
	const params = {
		protocolVersion: '2025-11-25',
		capabilities: {},
		clientInfo: { name: 'again', version: '1' },
	};
	const answer = await client.request(era === 'modern' ? 'server/discover' : 'initialize', params);
	return (answer['capabilities'] as { extensions?: object }).extensions ?? {};
}

function declaring(extensions: object): object {
	return serverWith(`
		if (method === 'server/discover') return { capabilities: { tools: {}, extensions: ${JSON.stringify(extensions)} } };
		if (method === 'tools/list')
			return { tools: [{ name: 'any', inputSchema: { type: 'object' } }], ttlMs: 1000, cacheScope: 'private' };
	`);
}

/** Its tool says which extensions it was started with. */
const legacyServer = `
	if (method === 'server/discover') return null;
	if (method === 'initialize') {
		globalThis.declared = params.capabilities.extensions;
		const serverInfo = { name: 'old', version: '1' };
		return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
	}
	if (method === 'tools/list') return { tools: [{ name: 'declared', inputSchema: { type: 'object' } }] };
	if (method === 'tools/call') return { content: [{ type: 'text', text: JSON.stringify(globalThis.declared ?? {}) }] };
`;

interface PageTool {
	readonly _meta: { readonly ui: { readonly resourceUri: string }; readonly 'ui/resourceUri': string };
}

function pageServer(name: string): object {
	return serverWith(`
		const main = 'ui://main';
		const cached = { ttlMs: 1000, cacheScope: 'private' };
		if (method === 'tools/list') {
			const _meta = { ui: { resourceUri: main }, 'ui/resourceUri': main };
			return { tools: [{ name: 'show', inputSchema: { type: 'object' }, _meta }], ...cached };
		}
		if (method === 'resources/list')
			return { resources: [{ uri: main, name: 'main' }, { uri: 'note://1', name: 'note' }], ...cached };
		if (method === 'resources/templates/list')
			return { resourceTemplates: [{ uriTemplate: 'ui://item/{id}', name: 'item' }], ...cached };
		if (method === 'resources/read') {
			const { uri } = params;
			const item = /^ui:..item.(.*)$/.exec(uri);
			const text = item ? 'item ' + item[1] + ' of ${name}' : 'page of ${name}';
			return { contents: [{ uri, mimeType: 'text/html', text }], ...cached };
		}
		if (method !== 'tools/call') return undefined;
		const link = { type: 'resource_link', uri: main, name: 'main' };
		return { content: [link, { type: 'resource', resource: { uri: main, text: 'inline' } }] };
	`);
}

/** It answers with a task, which the hub cannot route, when the request allows that. */
const taskServer = `
	const capabilities = params._meta?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
	if (method === 'tools/list')
		return { tools: [{ name: 'deploy', inputSchema: { type: 'object' } }], ttlMs: 1000, cacheScope: 'private' };
	if (capabilities.extensions?.['${TASKS}'] || params.task)
		return { resultType: 'task', taskId: 't1', status: 'working', ttlMs: 1000 };
	const { extensions } = capabilities;
	return { content: [{ type: 'text', text: 'deployed' }], structuredContent: { extensions } };
`;
