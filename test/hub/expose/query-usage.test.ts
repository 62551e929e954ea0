/* Tools that helped with similar queries rise a little, in this project. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { QueryUsage } from '../../../src/hub/expose/query-usage.ts';
import { ToolIndex } from '../../../src/hub/expose/tool-index.ts';
import { ToolUsage } from '../../../src/hub/expose/tool-usage.ts';
import { Log } from '../../../src/log.ts';
import { gateway, serveServers } from '../../support/served-hub.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const tools = ['github', 'gitlab', 'gitea', 'forgejo', 'codeberg', 'bitbucket', 'sourcehut', 'gogs'].map(
	(server) => ({
		server,
		tool: {
			name: `${server}__create_issue`,
			description: 'Create an issue',
			inputSchema: { type: 'object' as const },
		},
	}),
);

it('a tool that helped rises for a similar query, and the answer says so', async () => {
	const usage = new ToolUsage();
	const before = await search(usage, 'create an issue about the login');
	const second = before[1]?.id ?? '';
	usage.queries.searched('s', 'create issue: login', [second]);
	for (let call = 0; call < 4; call++) usage.queries.called('s', second);
	const [first] = await search(usage, 'create an issue about the login');
	expect(first?.id).toBe(second);
	expect(first?.why[0]?.kind).toBe('usage');
	const other = await search(usage, 'create a label');
	expect(other.flatMap(({ why }) => why).map(({ kind }) => kind)).not.toContain('usage');
});

it('counts only what the session was shown for a query', () => {
	const usage = new QueryUsage();
	usage.searched('s', 'create an issue', ['a']);
	usage.called('s', 'b');
	usage.called('other', 'a');
	expect(usage.similarTo('create an issue').size).toBe(0);
	usage.called('s', 'a');
	expect([...usage.similarTo('create some issues').keys()]).toEqual(['a']);
	usage.endSession('s');
	usage.called('s', 'c');
	expect(usage.similarTo('create an issue').size).toBe(1);
});

it('never hides a rare exact match, however many tools helped before', async () => {
	const usage = new ToolUsage();
	const exact = {
		server: 'z',
		tool: { name: 'z__zorbium', description: 'Zorbium', inputSchema: { type: 'object' as const } },
	};
	const query = 'create issue zorbium';
	usage.queries.searched(
		's',
		query,
		tools.map(({ tool }) => tool.name),
	);
	for (const { tool } of tools)
		for (let call = 0; call < 40; call++) {
			usage.queries.called('s', tool.name);
			usage.used(tool.name);
		}
	const names = (await search(usage, query, [...tools, exact])).map(({ id }) => id);
	expect(names.slice(0, 5)).toContain('z__zorbium');
});

it('survives a restart, in a bounded file of the user alone; a damaged one is as none', () => {
	const file = join(temporaryFolder(), 'state', 'usage', 'p.json');
	const usage = new QueryUsage(file);
	for (let at = 0; at < 700; at++) {
		usage.searched('s', `unusual word${at}`, ['a']);
		usage.called('s', 'a');
	}
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(JSON.parse(readFileSync(file, 'utf8')).uses).toHaveLength(500);
	expect(new QueryUsage(file).similarTo('unusual word699').get('a')).toBeGreaterThan(0);
	expect(new QueryUsage(file).similarTo('unusual word1').size).toBe(0);
	for (const text of ['{', '[]', '{"uses":[1,{"words":"x"},{"words":[],"tool":"a","uses":-1}]}']) {
		writeFileSync(file, text);
		expect(new QueryUsage(file).similarTo('unusual word699').size).toBe(0);
	}
});

it('of a hub comes from calls after a search, and is there after a restart', async () => {
	const more = { toolList: { expose: 'search' } };
	const served = await serveServers({ gate: gateway() }, { more });
	const client = await served.client();
	const query = { query: 'say it back to me, echo' };
	expect(await client.call('find_tools', query)).not.toContain('used for a similar query');
	await client.call('call_tool', { name: 'gate__echo', arguments: { text: 'x' } });
	expect(await client.call('find_tools', query)).toContain('used for a similar query');
	const again = await (await served.again()).client();
	expect(await again.call('find_tools', query)).toContain('used for a similar query');
});

async function search(usage: ToolUsage, query: string, list = tools) {
	return new ToolIndex(usage, Log.silent).search(list, { query, limit: 20, accept: () => true });
}
