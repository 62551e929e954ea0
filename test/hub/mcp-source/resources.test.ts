/* Resources, prompts and completion of MCP servers through a hub. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controlServer } from '../../../src/hub/shared/hub-control.ts';
import { gateway, type HubClient, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const both = (): Record<string, object> => ({
	one: gateway({}, 'normal', { NAME: 'first' }),
	two: gateway({}, 'normal', { NAME: 'second' }),
});

async function read(client: HubClient, uri: string): Promise<unknown> {
	const { contents } = await client.request('resources/read', { uri });
	return (contents as { text: string }[])[0]?.text;
}

describe('resources of MCP servers', () => {
	it('with equal URIs are both readable', async () => {
		const client = await (await serveServers(both())).client();
		const { resources } = await client.request('resources/list');
		const uris = (resources as { uri: string }[])
			.map(({ uri }) => uri)
			.filter((uri) => uri.includes('note:'));
		expect(uris).toEqual(['note://one', 'orchestra+two:note://one']);
		expect(await read(client, 'note://one')).toBe('first has note://one');
		expect(await read(client, 'orchestra+two:note://one')).toBe('second has note://one');
	});

	it('of templates, and those that no list has, are read from the server with their scheme', async () => {
		const client = await (await serveServers(both())).client();
		expect(await read(client, 'note://by-id/7')).toBe('first has note://by-id/7');
		expect(await read(client, 'orchestra+two:note://by-id/7')).toBe('second has note://by-id/7');
		expect(await read(client, 'note://somewhere/else')).toBe('first has note://somewhere/else');
	});

	it('notify their subscribers, under the URI that these know', async () => {
		const served = await serveServers(both());
		const client = await served.client();
		await client.request('resources/list');
		for (const uri of ['note://one', 'orchestra+two:note://one'])
			await client.request('resources/subscribe', { uri });
		await client.call('two__update', { uri: 'note://one' });
		await client.call('one__update', { uri: 'note://one' });
		await until('both updates are received', () => updates(client).length === 2);
		expect(updates(client)).toEqual(['orchestra+two:note://one', 'note://one']);
		await client.request('resources/unsubscribe', { uri: 'note://one' });
		await until('the server knows', () => served.events('unsubscribe:note://one').length === 1);
	});

	it('that are pages notify the subscribers of their server alone, also of a resource below them', async () => {
		const served = await serveServers(both());
		const [legacy, modern] = [await served.client(), await served.client({ era: 'modern' })];
		for (const uri of ['ui://one/main', 'ui://two/main'])
			await legacy.request('resources/subscribe', { uri });
		await expect(legacy.request('resources/subscribe', { uri: 'ui://main' })).resolves.toEqual({});
		const notifications = { resourceSubscriptions: ['ui://two/main'] };
		const listening = modern.request('subscriptions/listen', { notifications });
		await until('both servers know', () => served.events('subscribe:ui://main').length === 2);
		await until('it listens', () => modern.notifications.length > 0);
		await legacy.call('two__update', { uri: 'ui://main', part: '/chart' });
		await legacy.call('one__update', { uri: 'ui://main' });
		await until(
			'the updates are received',
			() => updates(legacy).length === 2 && updates(modern).length === 1,
		);
		expect(updates(legacy)).toEqual(['ui://two/main/chart', 'ui://one/main']);
		expect(updates(modern)).toEqual(['ui://two/main/chart']);
		await legacy.request('resources/unsubscribe', { uri: 'ui://one/main' });
		await until('the server knows', () => served.events('unsubscribe:ui://main').length === 1);
		modern.close();
		await listening.catch(() => {}); // it ends with the client
	});

	it('are subscribed to again after the server died', async () => {
		const served = await serveServers({ gate: gateway({ idleMs: 100 }) });
		const client = await served.client();
		await client.request('resources/list');
		await client.request('resources/subscribe', { uri: 'note://one' });
		await client.failure('gate__die');
		// An update between the two processes would be lost, so one is reported.
		await until('it is subscribed to again', () => updates(client).length === 1);
		await until('the server wrote it down', () => served.events('subscribe:note://one').length === 2);
		await client.call('gate__update', { uri: 'note://one' });
		await until('the update is received', () => updates(client).length === 2);
	});

	it('are subscribed to at the server before the client is answered, also the second one', async () => {
		const served = await serveServers({ gate: gateway({}, 'normal', { SUBSCRIBE_MS: '200' }) });
		const [one, two] = [await served.client(), await served.client()];
		await one.request('resources/list');
		const subscribe = (client: HubClient): Promise<unknown> =>
			client.request('resources/subscribe', { uri: 'note://one' });
		await Promise.all([subscribe(one), subscribe(two)]);
		expect(await one.call('gate__update', { uri: 'note://one' })).toBe('note://one');
		expect([updates(one), updates(two)]).toEqual([['note://one'], ['note://one']]);
		expect(served.events('subscribe:note://one')).toHaveLength(1);
	});

	it('that the server refuses are refused, and a modern subscription does not have them', async () => {
		const served = await serveServers({ gate: gateway() });
		const [legacy, modern] = [await served.client(), await served.client({ era: 'modern' })];
		await legacy.request('resources/list');
		const refused = legacy.request('resources/subscribe', { uri: 'note://refused' });
		await expect(refused).rejects.toThrow('-32050: not note://refused');
		const resourceSubscriptions = ['note://refused', 'note://one'];
		const listening = modern.request('subscriptions/listen', { notifications: { resourceSubscriptions } });
		await until('it is acknowledged', () => modern.notifications.length > 0);
		expect(modern.notifications).toMatchObject([
			{ params: { notifications: { resourceSubscriptions: ['note://one'] } } },
		]);
		modern.close();
		await listening.catch(() => {});
	});

	it('notify the subscribers of a resource above them, with their own URI', async () => {
		const served = await serveServers({ gate: gateway() });
		const [legacy, modern] = [await served.client(), await served.client({ era: 'modern' })];
		await legacy.request('resources/list');
		await legacy.request('resources/subscribe', { uri: 'orchestra+gate:note://one' });
		const notifications = { resourceSubscriptions: ['note://one'] };
		const listening = modern.request('subscriptions/listen', { notifications });
		await until('it is acknowledged', () => modern.notifications.length > 0);
		await legacy.call('gate__update', { uri: 'note://one', part: '/2' });
		await legacy.call('gate__update', { uri: 'note://one', part: 'more' });
		await until('it is updated', () => updates(modern).length > 0);
		expect([updates(legacy), updates(modern)]).toEqual([['orchestra+gate:note://one/2'], ['note://one/2']]);
		modern.close();
		await listening.catch(() => {});
	});

	it('stay subscribed when the entry of their server changes', async () => {
		const served = await serveServers({ gate: gateway() });
		const client = await served.client();
		await client.request('resources/list');
		await client.request('resources/subscribe', { uri: 'note://one' });
		writeFiles(served.folder, {
			'orchestra.json': JSON.stringify({ mcpServers: { gate: gateway({ idleMs: 1000 }) } }),
		});
		await served.opened.reload();
		await until('the new server is subscribed', () => updates(client).length === 1);
		expect(served.events('subscribe:note://one')).toHaveLength(2);
		await client.call('gate__update', { uri: 'note://one' });
		await until('the update is received', () => updates(client).length === 2);
	});

	it('of a server that does not start are subscribed to when it starts', async () => {
		const mark = join(temporaryFolder(), 'mark');
		const served = await serveServers(
			{ gate: gateway({}, 'breaks', { MARK: mark }) },
			{ more: { limits: { listMs: 500 } } },
		);
		const client = await served.client();
		await client.request('resources/list');
		const { sources } = served.opened.hub;
		await until('it is listed', () => sources.some(({ id, status }) => id === 'gate' && status.isListed));
		await controlServer(served.opened.hub, 'stop', 'gate');
		writeFileSync(mark, '');
		await client.request('resources/subscribe', { uri: 'note://one' });
		rmSync(mark);
		await until('it is subscribed', () => updates(client).length === 1);
	});

	it('of the process of a session are reported to this session alone, and keep its process', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session', idleMs: 100 }) });
		const [one, two] = [await served.client(), await served.client()];
		await one.request('resources/list');
		for (const client of [one, two]) await client.request('resources/subscribe', { uri: 'note://one' });
		const pids = () => served.events('subscribe:note://one').map(({ pid }) => pid);
		await until('each has a process that is subscribed', () => new Set(pids()).size === 2);
		await one.call('gate__sleep', { ms: 300 });
		await one.call('gate__update', { uri: 'note://one' });
		expect(pids()).toContain(Number(await two.call('gate__pid')));
		expect([updates(one), updates(two)]).toEqual([['note://one'], []]);
		await one.failure('gate__die');
		await until('it is subscribed to again', () => updates(one).length === 2);
		expect(updates(two)).toEqual([]);
	});
});

describe('prompts of an MCP server', () => {
	it('are got and completed by their prefixed names', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		const { messages } = await client.request('prompts/get', {
			name: 'gate__hello',
			arguments: { who: 'Ann' },
		});
		expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello Ann' } }]);
		const argument = { name: 'who', value: 'A' };
		const prompt = await client.request('completion/complete', {
			ref: { type: 'ref/prompt', name: 'gate__hello' },
			argument,
		});
		expect(prompt).toEqual({ completion: { values: ['hello:A'] } });
		const ref = { type: 'ref/resource', uri: 'note://by-id/{id}' };
		const template = await client.request('completion/complete', { ref, argument });
		expect(template).toEqual({ completion: { values: ['note://by-id/{id}:A'] } });
	});
});

function updates({ notifications }: HubClient): string[] {
	return notifications
		.filter(({ method }) => method === 'notifications/resources/updated')
		.map(({ params }) => (params as { uri: string }).uri);
}
