/* MCP Apps behind the hub: which clients see what, and the names that pages use. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MctlResult, mctl } from '../support/mctl.ts';
import { serverWith } from '../support/modern-server.ts';
import { type HubClient, type ServedHub, serveServers } from '../support/served-hub.ts';
import { temporaryFolder } from '../support/workspace.ts';

const capabilities = {
	extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

describe.each(['modern', 'legacy'] as const)('a %s client', (era) => {
	it('that shows pages sees tools with their pages, and those for pages alone', async () => {
		const served = await serveServers({ one: appServer });
		const tools = await toolsOf(await served.client({ era, capabilities }));
		expect(tools.get('one__show')).toEqual({
			ui: { resourceUri: 'ui://one/main', visibility: ['model', 'app'] },
			'ui/resourceUri': 'ui://one/main',
		});
		expect(tools.get('one__refresh')).toEqual({ ui: { visibility: ['app'] } });
	});

	it('that does not sees neither, and cannot call the latter', async () => {
		const served = await serveServers({ one: appServer });
		const client = await served.client({ era });
		const tools = await toolsOf(client);
		expect([...tools.keys()]).toEqual(['one__show']);
		expect(tools.get('one__show')).toEqual({ ui: { visibility: ['model', 'app'] } });
		for (let call = 0; call < 2; call++)
			expect(await client.failure('one__refresh')).toMatchObject({ code: -32602 });
		expect(await client.call('one__show')).toBe('show');
	});
});

describe('a client that searches', () => {
	const more = { toolList: { expose: 'search' } };

	it('and shows pages lists tools with a page itself, and finds none for pages alone', async () => {
		const served = await serveServers({ one: appServer }, { more });
		const client = await served.client({ capabilities });
		expect([...(await toolsOf(client)).keys()]).toEqual(
			expect.arrayContaining(['one__refresh', 'one__show']),
		);
		expect(await client.call('find_tools', { query: 'refresh the page' })).not.toContain('one__refresh');
		const described = await client.request('tools/call', {
			name: 'call_tool',
			arguments: { name: 'one__refresh' },
		});
		expect(described).toMatchObject({ isError: true });
	});

	it('and shows none lists no tool of an app', async () => {
		const served = await serveServers({ one: appServer }, { more });
		expect([...(await toolsOf(await served.client())).keys()]).toEqual([
			'find_tools',
			'describe_tool',
			'call_tool',
		]);
	});
});

describe('a page', () => {
	it('calls a tool by its own name when one visible server has it', async () => {
		const served = await serveServers({ one: appServer });
		expect(await (await served.client({ capabilities })).call('refresh')).toBe('refresh');
		expect(await (await served.client()).failure('refresh')).toMatchObject({ code: -32602 });
	});

	it('gets the candidates when several have it', async () => {
		const served = await serveServers({ one: appServer, two: appServer });
		const { code, message } = await (await served.client({ capabilities })).failure('refresh');
		expect(code).toBe(-32602);
		expect(message).toContain('one__refresh, two__refresh');
	});

	it('reaches the tool in its view when another server has the same', async () => {
		const more = { views: { first: { allow: ['one__*'] } }, clients: { test: { view: 'first' } } };
		const served: ServedHub = await serveServers({ one: appServer, two: appServer }, { more });
		expect(await (await served.client({ capabilities })).call('refresh')).toBe('refresh');
	});
});

describe('a page whose CSP changed since its server was accepted', () => {
	it('is drift, and is not read in quarantine until it is accepted', async () => {
		const folder = temporaryFolder();
		const first = await serveServers({ one: { ...pageServer('a.example'), pin: 'quarantine' } }, { folder });
		const before = await first.client({ capabilities });
		await before.request('resources/list');
		expect(await before.request('resources/read', { uri: 'ui://one/main' })).toMatchObject({
			contents: [{ text: 'page' }],
		});
		await first.close();
		const second = await serveServers(
			{ one: { ...pageServer('evil.example'), pin: 'quarantine' } },
			{ folder },
		);
		const client = await second.client({ capabilities });
		await client.request('resources/list');
		await expect(client.request('resources/read', { uri: 'ui://one/main' })).rejects.toThrow(
			/is quarantined/,
		);
		expect(second.log.join('\n')).toContain('changed: (page ui://main)');
	});
});

describe('a page whose content changed since it was first read', () => {
	it.each([
		['text', { html: 'other' }, /content: sha256:\[-\w+-\]\{\+\w+\+\}/],
		['reach', { reaches: 'evil.example' }, /reach: [^]*\[-a-\]\{\+evil\+\}\.example/],
	])(
		'is drift in its %s, and is not given out in quarantine until it is accepted',
		async (_part, change, difference) => {
			const folder = temporaryFolder();
			const env = { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ORCHESTRA_TRUST: 'all' };
			const trust = (...args: string[]): Promise<MctlResult> =>
				mctl(['trust', ...args], { cwd: folder, env });
			const uri = 'ui://one/main';
			const read = async (server: object): Promise<{ text: string; log: string }> => {
				const served = await serveServers({ one: { ...server, pin: 'quarantine' } }, { folder });
				const client = await served.client({ capabilities });
				await client.request('resources/list');
				const text = await client.request('resources/read', { uri }).then(JSON.stringify, String);
				await served.close();
				return { text, log: served.log.join('\n') };
			};
			expect((await read(pageServer('a.example'))).text).toContain('page');
			expect((await read(pageServer('a.example'))).text).toContain('page');
			expect(await trust('diff')).toMatchObject({ code: 0, stdout: '' });
			const changed = await read(pageServer('a.example', change));
			expect(changed.text).toMatch(/\(content of ui:\/\/main\) is quarantined/);
			expect(changed.log).toContain('changed (content of ui://main)');
			expect(changed.log).not.toContain('removed:');
			const diff = await trust('diff');
			expect(diff.code).toBe(1);
			expect(diff.stdout).toContain('changed (content of ui://main) (quarantined)');
			expect(diff.stdout).toMatch(difference);
			await trust('accept', 'one');
			expect((await read(pageServer('a.example', change))).text).toContain('contents');
			expect(await trust('diff')).toMatchObject({ code: 0, stdout: '' });
			// What was not accepted since is drift again.
			expect((await read(pageServer('a.example'))).text).toMatch(/is quarantined/);
			expect((await read(pageServer('a.example', change))).text).toContain('contents');
			expect((await trust('diff')).code).toBe(0);
		},
	);
});

/** Its page may connect to this domain. */
function pageServer(domain: string, { html = 'page', reaches = domain } = {}): object {
	return serverWith(`
		const cached = { ttlMs: 1000, cacheScope: 'private' };
		if (method === 'tools/list') return { tools: [{ name: 'show', inputSchema: { type: 'object' } }], ...cached };
		if (method === 'resources/list')
			return { resources: [{ uri: 'ui://main', name: 'main', _meta: { ui: { csp: { connectDomains: ['https://${domain}'] } } } }], ...cached };
		if (method === 'resources/templates/list') return { resourceTemplates: [], ...cached };
		if (method === 'resources/read') return { contents: [{ uri: params.uri, text: '${html}', _meta: { ui: { csp: { connectDomains: ['https://${reaches}'] } } } }], ...cached };
	`);
}

const appServer = serverWith(`
	const cached = { ttlMs: 1000, cacheScope: 'private' };
	const inputSchema = { type: 'object' };
	if (method === 'tools/list') {
		const uri = 'ui://main';
		const show = { name: 'show', inputSchema, _meta: { ui: { resourceUri: uri, visibility: ['model', 'app'] }, 'ui/resourceUri': uri } };
		const refresh = { name: 'refresh', description: 'Refresh the page', inputSchema, _meta: { ui: { visibility: ['app'] } } };
		return { tools: [show, refresh], ...cached };
	}
	if (method === 'resources/list') return { resources: [], ...cached };
	if (method === 'tools/call') return { content: [{ type: 'text', text: params.name }] };
`);

/** The `_meta` of each tool, by its name. */
async function toolsOf(client: HubClient): Promise<ReadonlyMap<string, unknown>> {
	const { tools } = (await client.request('tools/list')) as { tools: { name: string; _meta?: unknown }[] };
	return new Map(tools.map(({ name, _meta }) => [name, _meta]));
}
