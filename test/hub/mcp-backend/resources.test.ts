/* Resources, prompts and completion of MCP servers through a hub. */
import { describe, expect, it } from 'vitest';
import { gateway, type HubClient, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

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
		await until('both servers know', () => served.events('subscribe:note://one').length === 2);
		await client.call('two__update', { uri: 'note://one' });
		await client.call('one__update', { uri: 'note://one' });
		await until('both updates are received', () => updates(client).length === 2);
		expect(updates(client)).toEqual(['orchestra+two:note://one', 'note://one']);
		await client.request('resources/unsubscribe', { uri: 'note://one' });
		await until('the server knows', () => served.events('unsubscribe:note://one').length === 1);
	});

	it('are subscribed to again after the server died', async () => {
		const served = await serveServers({ gate: gateway({ idleMs: 100 }) });
		const client = await served.client();
		await client.request('resources/list');
		await client.request('resources/subscribe', { uri: 'note://one' });
		await until('the server knows', () => served.events('subscribe:note://one').length === 1);
		await client.failure('gate__die');
		await until(
			'it is subscribed to again',
			() => served.events('subscribe:note://one').length === 2,
			10_000,
		);
		await client.call('gate__update', { uri: 'note://one' });
		await until('the update is received', () => updates(client).length === 1);
	}, 20_000);
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

function updates({ heard }: HubClient): string[] {
	return heard
		.filter(({ method }) => method === 'notifications/resources/updated')
		.map(({ params }) => (params as { uri: string }).uri);
}
