/* Names of tools with `__` in them, with real servers. */
import { describe, expect, it } from 'vitest';
import { toolPrefix } from '../../src/trust/tool-name.ts';
import { gateway, type HubClient, serveServers } from '../support/served-hub.ts';

/** `a` has a tool that is called like the tool `c` of `a__b` with its server. */
const servers = {
	a: gateway({ allow: ['echo'], rename: { echo: 'b__c' } }),
	a__b: gateway({ allow: ['count'], rename: { count: 'c' } }),
};
const countTool = `${toolPrefix('a__b')}c`;

describe('two servers of which one is called like the begin of the tools of the other', () => {
	it('keep their own tools', async () => {
		const served = await serveServers(servers);
		const client = await served.client();
		const [echoTool = '', second] = await toolNames(client);
		expect([echoTool, second]).toEqual([expect.stringMatching(/^a__b_c_/), countTool]);
		expect(await client.call(echoTool, { text: 'hi' })).toBe('hi');
		expect(await client.call(countTool)).toBe('1');
		const { message } = await client.failure('a__b__c');
		expect(message).toContain('Unknown tool: a__b__c');
		const warnings = served.log.filter((line) => line.includes('reads like'));
		expect(warnings).toEqual([expect.stringContaining('"b__c" of a reads like a tool of a__b')]);
	});

	it('have policies, views and a list of their own', async () => {
		const policy = [{ tools: 'a__b__*', action: 'deny', reason: 'not this server' }];
		const views = { second: { allow: ['a__b__*'] }, first: { allow: ['a__*'] } };
		const toolList = { expose: 'search', always: ['a__b__*'] };
		const clients = { one: { view: 'first', expose: 'all' }, two: { view: 'second', expose: 'all' } };
		const served = await serveServers(servers, { more: { policy, views, toolList, clients } });
		const client = await served.client();
		const listed = await toolNames(client);
		expect(listed).toContain(countTool);
		expect(listed).not.toContainEqual(expect.stringMatching(/^a__b_c_/));
		const [echoTool = ''] = await toolNames(await served.client({ name: 'one' }));
		expect(echoTool).toMatch(/^a__b_c_/);
		expect(await toolNames(await served.client({ name: 'two' }))).toEqual([countTool]);
		expect(await client.call(echoTool, { text: 'hi' })).toBe('hi');
		expect(await client.call(countTool)).toContain('not this server');
	});
});

describe('patterns of an untrusted project', () => {
	// With a matcher that tries every place of every star this does not end.
	it('with many stars delay no list', async () => {
		const many = `${'*_'.repeat(40)}!`;
		const long = `${'_'.repeat(60)}x`;
		const more = {
			toolList: { expose: 'search', always: [many] },
			views: { v: { allow: ['*'], deny: [many] } },
			clients: { viewer: { view: 'v', expose: 'all' } },
			policy: [{ tools: many, clients: many, action: 'deny' }],
		};
		const rename = { echo: long };
		const entry = gateway({ allow: ['echo', many], deny: [`${'*e'.repeat(40)}!`], rename });
		const served = await serveServers({ gate: entry }, { more });
		expect(await toolNames(await served.client())).toHaveLength(3);
		expect(await toolNames(await served.client({ name: 'viewer' }))).toHaveLength(1);
	});
});

async function toolNames(client: HubClient): Promise<string[]> {
	const { tools } = await client.request('tools/list');
	return (tools as { name: string }[]).map(({ name }) => name);
}
