/* What agents see of servers that start, and of those that failed. */
import { expect, it } from 'vitest';
import { controlServer } from '../../../src/hub/shared/hub-control.ts';
import { gateway, type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { writeFiles } from '../../support/workspace.ts';

const search = { toolList: { expose: 'search' }, limits: { listMs: 50 } };
const slow = (ms: number): object => gateway({}, 'normal', { START_MS: String(ms) });

it('starts servers that were never seen when a client connects, in both eras', async () => {
	for (const era of ['legacy', 'modern'] as const) {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client({ era });
		if (era === 'modern') await client.request('server/discover');
		await until('it is started', () => served.events('start').length === 1);
		expect(served.events('start')).toHaveLength(1);
	}
});

it('names servers that start and servers that failed in place of their tools', async () => {
	const served = await serveServers(
		{ files: slow(1500), broken: gateway({}, 'exits'), quick: gateway() },
		{ more: search },
	);
	const client = await served.client();
	const [first] = await toolsOf(client);
	expect(first?.description).toContain('files (starting)');
	await until('one failed and one is known', async () => {
		const [find] = await toolsOf(client);
		return (
			/files \(starting\), broken \(failed\)/.test(find?.description ?? '') &&
			/quick \(\d+\)/.test(find?.description ?? '')
		);
	});
});

it('waits with a search for servers that start, reports progress, and names one that failed with the reason', async () => {
	const served = await serveServers({ slow: slow(3000), broken: gateway({}, 'exits') }, { more: search });
	const client = await served.client();
	await toolsOf(client);
	const progress: unknown[] = [];
	const onProgress = (params: unknown): number => progress.push(params);
	const text = await client.call('find_tools', { query: 'echo' }, { onProgress });
	expect(text).toContain('slow__echo(');
	expect(text).toMatch(/Failed to start: broken \(.*no TOKEN is set.*\)/);
	expect(progress[0]).toMatchObject({ message: expect.stringContaining('slow') });
});

it('waits for a server that starts before it describes or calls a tool of it', async () => {
	for (const name of ['describe_tool', 'call_tool']) {
		const served = await serveServers({ slow: slow(800) }, { more: search });
		const client = await served.client();
		await toolsOf(client);
		const input = { name: 'slow__echo', ...(name === 'call_tool' && { arguments: { text: 'hi' } }) };
		expect(await client.call(name, input)).toMatch(name === 'call_tool' ? /^hi$/ : /"slow__echo"/);
	}
});

it('says why a tool of a server that failed cannot be called', async () => {
	const served = await serveServers({ broken: gateway({ restart: false }, 'exits') }, { more: search });
	const client = await served.client();
	await toolsOf(client);
	await until('it failed', () => served.log.some((line) => line.includes('exited with code 3')));
	const text = await client.call('call_tool', { name: 'broken__echo' });
	expect(text).toMatch(/"broken__echo" cannot be used now\.\nFailed to start: broken \(.*no TOKEN is set/);
});

it('answers a search at once when a good tool is known, and names the server that hangs', async () => {
	const served = await serveServers({ quick: gateway(), stuck: gateway({}, 'hangs') }, { more: search });
	const client = await served.client();
	await until('one is known', async () => /quick \(\d/.test((await toolsOf(client))[0]?.description ?? ''));
	const progress: unknown[] = [];
	const onProgress = (params: unknown): number => progress.push(params);
	const text = await client.call('find_tools', { query: 'echo' }, { onProgress });
	expect(text).toContain('quick__echo(');
	expect(text).toContain('Still starting, so not searched: stuck.');
	expect(progress).toEqual([]);
});

it('waits longer with the first list of a client that caches it', async () => {
	const lists = { limits: { listMs: 50 } };
	const served = await serveServers({ slow: slow(1200) }, { more: lists });
	const [usual, once] = [await served.client(), await served.client({ name: 'cursor-vscode' })];
	const [first, cached] = await Promise.all([toolsOf(usual), toolsOf(once)]);
	expect(namesOf(first)).not.toContain('slow__echo');
	expect(namesOf(cached)).toContain('slow__echo');
	expect(await promptsOf(once)).toContain('slow__hello');
});

it.each([50, 20_000])(
	'lets a client that caches its first list and does not wait search while a server is unknown, with listMs %i',
	async (listMs) => {
		const servers = { quick: gateway(), stuck: gateway({}, 'hangs') };
		const served = await serveServers(servers, { more: { limits: { listMs } } });
		const client = await served.client({ name: 'codex-mcp-client' });
		expect(namesOf(await toolsOf(client))).toEqual(['find_tools', 'describe_tool', 'call_tool', 'look']);
		expect(served.opened.hub.processes().map(({ state }) => state)).toContain('starting');
		if (listMs === 50) expect(await client.call('find_tools', { query: 'echo' })).toContain('quick__echo(');
	},
);

it('waits longer for a client that caches its first list and that the settings show all tools', async () => {
	const more = { limits: { listMs: 50 }, clients: { 'codex-mcp-client': { expose: 'all' } } };
	const served = await serveServers({ slow: slow(1500) }, { more });
	const client = await served.client({ name: 'codex-mcp-client' });
	expect(namesOf(await toolsOf(client))).toContain('slow__echo');
});

it('keeps the mode of a session when the number of tools passes the limit a little', async () => {
	const more = { toolList: { exposeAbove: 25 }, limits: { listMs: 20_000 } };
	const served = await serveServers({ one: gateway() }, { more });
	const client = await served.client();
	const later = await served.client();
	expect(modeOf(await toolsOf(client))).toBe('all');
	await configure(served, { one: gateway(), two: gateway({ allow: ['e*', 'p*', 'c*'] }) }, more);
	expect(modeOf(await toolsOf(client))).toBe('all');
	expect(modeOf(await toolsOf(later))).toBe('search');
	await configure(served, { one: gateway(), two: gateway() }, more);
	expect(modeOf(await toolsOf(client))).toBe('search');
	await configure(served, { one: gateway() }, more);
	expect(modeOf(await toolsOf(client))).toBe('search');
	await configure(served, { one: gateway({ allow: ['e*'] }) }, more);
	expect(modeOf(await toolsOf(client))).toBe('all');
});

interface ListedTool {
	readonly name: string;
	readonly description?: string;
}

async function toolsOf(client: HubClient): Promise<ListedTool[]> {
	return (await client.request('tools/list'))['tools'] as ListedTool[];
}

async function promptsOf(client: HubClient): Promise<string[]> {
	return namesOf((await client.request('prompts/list'))['prompts'] as ListedTool[]);
}

function namesOf(tools: readonly ListedTool[]): string[] {
	return tools.map(({ name }) => name);
}

function modeOf(tools: readonly ListedTool[]): string {
	return namesOf(tools).includes('find_tools') ? 'search' : 'all';
}

async function configure(served: ServedHub, mcpServers: object, more: object): Promise<void> {
	writeFiles(served.folder, { 'orchestra.json': JSON.stringify({ mcpServers, ...more }) });
	await served.opened.reload();
}

it('a server that was started on request is listed by the next list, however short lists wait', async () => {
	const served = await serveServers(
		{ slow: gateway({}, 'normal', { LIST_MS: '700' }) },
		{ more: { limits: { listMs: 50 } } },
	);
	const client = await served.client();
	expect(namesOf(await toolsOf(client))).not.toContain('slow__echo');
	await controlServer(served.opened.hub, 'start', 'slow');
	expect(namesOf(await toolsOf(client))).toContain('slow__echo');
});
