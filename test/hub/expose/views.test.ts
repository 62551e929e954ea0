/* Views: a client sees and calls a part of the tools. */
import { expect, it } from 'vitest';
import { gateway, serveServers } from '../../support/served-hub.ts';

const views = { review: { allow: ['gate__e*', 'gate__p*'], deny: ['gate__pid'] }, nothing: { allow: [] } };

it('shows and calls the tools of the view of a client', async () => {
	const served = await serveServers(
		{ gate: gateway() },
		{ more: { views, clients: { Reviewer: { view: 'review' } } } },
	);
	const client = await served.client({ name: 'Reviewer' });
	const { tools } = await client.request('tools/list');
	expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['gate__echo', 'gate__params']);
	expect(await client.call('gate__echo', { text: 'hi' })).toBe('hi');
	expect(await client.failure('gate__pid')).toMatchObject({
		message: 'gate__pid is not in the view "review" of this client',
	});
	const other = await served.client();
	expect(await other.call('gate__count')).toBe('1');
});

it('keeps the view in the search tools', async () => {
	const served = await serveServers(
		{ gate: gateway() },
		{ more: { views, clients: { Reviewer: { view: 'review', expose: 'search' } } } },
	);
	const client = await served.client({ name: 'Reviewer' });
	await client.request('tools/list');
	expect(await client.call('call_tool', { name: 'gate__pid' })).toContain('There is no tool "gate__pid"');
	expect(await client.call('find_tools', { query: 'pid' })).not.toContain('gate__pid(');
});

it('uses the view of a session before that of its client, until the session ends', async () => {
	const served = await serveServers(
		{ gate: gateway() },
		{ more: { views, clients: { Reviewer: { view: 'review' } } } },
	);
	served.opened.hub.exposure?.useView('one', 'nothing');
	const client = await served.client({ name: 'Reviewer', sessionId: 'one' });
	expect(await client.request('tools/list')).toMatchObject({ tools: [] });
});

it('refuses a view that is not configured, and names those that are', async () => {
	const served = await serveServers(
		{ gate: gateway() },
		{ more: { views, clients: { Odd: { view: 'odd' } } } },
	);
	const client = await served.client({ name: 'Odd' });
	await expect(client.request('tools/list')).rejects.toThrow(
		'there is no view "odd"; the views are review, nothing',
	);
});
