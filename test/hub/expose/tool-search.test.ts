/* Tools that search, describe and call the others, in place of a long list. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { gateway, type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const everything = {
	command: process.execPath,
	args: [resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
const search = { toolList: { expose: 'search' } };

it('lists the search tools and the tools that are always listed, in both eras', async () => {
	const served = await serveServers(
		{ gate: gateway() },
		{ more: { toolList: { expose: 'search', always: ['gate__e*'] } } },
	);
	for (const era of ['legacy', 'modern'] as const) {
		const names = await namesFor(await served.client({ era }));
		expect(names).toEqual(['find_tools', 'describe_tool', 'call_tool', 'gate__echo']);
	}
});

it('searches above a number of tools, and lists everything up to it', async () => {
	const many = await serveServers({ gate: gateway() }, { more: { toolList: { exposeAbove: 3 } } });
	expect(await namesFor(await many.client())).toHaveLength(3);
	const few = await serveServers({ gate: gateway() });
	expect(await namesFor(await few.client())).toContain('gate__echo');
});

it('shows all tools to mctl, and to a client that is configured so', async () => {
	const served = await serveServers(
		{ gate: gateway() },
		{ more: { ...search, clients: { Whole: { expose: 'all' } } } },
	);
	for (const name of ['mctl', 'Whole'])
		expect(await namesFor(await served.client({ name }))).toContain('gate__echo');
	expect(await namesFor(await served.client({ name: 'Other' }))).not.toContain('gate__echo');
});

it('finds a tool by other terms, with its signature and why it matched', async () => {
	const { client } = await opened({ all: everything });
	const text = await client.call('find_tools', { query: 'add up two numbers', limit: 3 });
	expect(text).toContain('all__get-sum(a: number, b: number)');
	expect(text).toMatch(/matched: \S+/);
});

it('finds the tools of servers, never the tool of the hub that is listed beside the search', async () => {
	const memory = {
		command: process.execPath,
		args: [resolve('node_modules/@modelcontextprotocol/server-memory/dist/index.js')],
	};
	const served = await serveServers({ memory }, { more: search });
	const client = await served.client({ name: 'claude-code' });
	expect(await namesFor(client)).toContain('look');
	const text = await client.call('find_tools', { query: 'remember that Anna works at Acme' });
	expect(text).toMatch(/^memory__/);
	expect(text).not.toMatch(/^look\(/m);
	expect(await client.call('describe_tool', { name: 'look' })).toContain('JMESPath');
});

it('keeps an answer within its budget, and says what did not fit', async () => {
	const { client } = await opened({ all: everything });
	const query = 'get a resource, a message or an image';
	const long = await client.call('find_tools', { query, limit: 10 });
	const short = await client.call('find_tools', { query, limit: 10, budget: 120 });
	expect(short.length).toBeLessThan(long.length);
	expect(short.length).toBeLessThan(4 * 150);
	expect(short).toMatch(/\d+ more did not fit the budget/);
});

it('finds by the other terms when one of them occurs nowhere', async () => {
	const rename = { echo: 'read_spreadsheet', count: 'delete_branch', pid: 'send_mail' };
	const { client } = await opened({ office: gateway({ allow: Object.keys(rename), rename }) });
	expect(await client.call('find_tools', { query: 'excel' })).toContain('office__read_spreadsheet(');
	for (const query of ['excel Zlatibor', 'Zlatibor excel qqqzzz', 'Kopaonik excel Zlatibor'])
		expect(await client.call('find_tools', { query })).toContain('office__read_spreadsheet(');
});

it('says which servers there are when nothing matches', async () => {
	const { client } = await opened({ gate: gateway() });
	expect(await client.call('find_tools', { query: 'zzzqqqxxx' })).toMatch(/No tool matches .* gate/);
});

it('describes a tool with its whole schema', async () => {
	const { client } = await opened({ all: everything });
	const tool = JSON.parse(await client.call('describe_tool', { name: 'all__get-sum' }));
	expect(tool).toMatchObject({ name: 'all__get-sum', inputSchema: { required: ['a', 'b'] } });
});

it('names the nearest tool for a name that is wrong', async () => {
	const { client } = await opened({ gate: gateway() });
	for (const name of ['gate__ecko', 'echo', 'other__echo'])
		expect(await client.call('call_tool', { name })).toMatch(/There is no tool .* gate__echo/);
});

it('names the wrong argument and does not call the tool', async () => {
	const { client } = await opened({ all: everything });
	const params = { name: 'call_tool', arguments: { name: 'all__get-sum', arguments: { a: 'one', b: 2 } } };
	const result = await client.request('tools/call', params);
	expect(result).toMatchObject({
		isError: true,
		content: [{ text: expect.stringMatching(/was not called[\s\S]*\ba\b/) }],
	});
});

it('passes the call through as the call of the real tool, and its result untouched', async () => {
	const { client } = await opened({ gate: gateway() });
	const input = { big: 1, text: 'x' };
	// Each request to the server has its own token.
	const call = async (params: object): Promise<string> =>
		JSON.stringify(await client.request('tools/call', params)).replace(/(progressToken\W+)\d+/, '$1');
	const direct = await call({ name: 'gate__params', arguments: input, extra: 7 });
	const params = { name: 'call_tool', arguments: { name: 'gate__params', arguments: input }, extra: 7 };
	expect(await call(params)).toBe(direct);
});

it('takes nothing but the name and the arguments of the inner call', async () => {
	const { client } = await opened({ gate: gateway() });
	const inner = { name: 'gate__params', arguments: {}, _meta: { progressToken: 'not-ours' } };
	expect(JSON.parse(await client.call('call_tool', inner))).toEqual({
		name: 'params',
		arguments: {},
		_meta: { progressToken: expect.any(Number) },
	});
});

it('reports progress, cancels and asks like the real tool', async () => {
	const { client, served } = await opened({ gate: gateway() });
	const progress: unknown[] = [];
	const onProgress = (params: unknown): number => progress.push(params);
	expect(await client.call('call_tool', { name: 'gate__steps' }, { onProgress })).toBe('done');
	expect(progress).toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
	const abort = new AbortController();
	const hanging = client
		.call('call_tool', { name: 'gate__hang' }, { signal: abort.signal })
		.catch(() => 'ended');
	await until('the server has the call', () => served.events('called').length === 1);
	abort.abort();
	expect(await hanging).toBe('ended');
	await until('the server knows of it', () => served.events('canceled').length === 1);
	const asked = await served.client({
		capabilities: { elicitation: { form: {} } },
		onClientRequest: () => ({ action: 'accept', content: { who: 'me' } }),
	});
	expect(await asked.call('call_tool', { name: 'gate__ask' })).toContain('"me"');
});

it('suspends a call through call_tool that asks a modern client, and resumes it with the retry', async () => {
	const { served } = await opened({ gate: gateway() });
	const client = await served.client({ era: 'modern', capabilities: { elicitation: { form: {} } } });
	const params = { name: 'call_tool', arguments: { name: 'gate__ask' } };
	const { inputRequests, requestState } = await client.request('tools/call', params);
	const [key = ''] = Object.keys(inputRequests as object);
	const inputResponses = { [key]: { action: 'accept', content: { who: 'me' } } };
	const result = await client.request('tools/call', { ...params, inputResponses, requestState });
	expect(JSON.stringify(result)).toContain('me');
});

it('finds a tool that a server lists later', async () => {
	const { client } = await opened({ gate: gateway() });
	expect(await client.call('find_tools', { query: 'extra' })).not.toContain('gate__extra');
	await client.call('call_tool', { name: 'gate__change' });
	const isFound = async (): Promise<boolean> =>
		(await client.call('find_tools', { query: 'extra' })).includes('gate__extra');
	await until('the tool is found', isFound);
});

async function opened(servers: Record<string, unknown>): Promise<{ client: HubClient; served: ServedHub }> {
	const served = await serveServers(servers, { more: search });
	const client = await served.client();
	await client.request('tools/list');
	return { client, served };
}

async function namesFor(client: HubClient): Promise<string[]> {
	const { tools } = await client.request('tools/list');
	return (tools as { name: string }[]).map(({ name }) => name);
}
