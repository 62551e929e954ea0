/* Events for plugins in Go, through `mctl serve`: such a plugin expects them as requests to its own server. */
import { beforeAll, describe, expect, it } from 'vitest';
import { encodePluginRequest, type RequestInit } from '../../../src/plugin/codec.ts';
import type { Client } from '../../../src/transport/client.ts';
import { buildGoPeer } from '../../support/go-peer.ts';
import { callText, configuredFolder } from '../../support/plugins.ts';
import { until } from '../../support/waiting.ts';

let go: Awaited<ReturnType<typeof buildGoPeer>>;
beforeAll(async () => {
	go = await buildGoPeer();
});

const publish = (eventType: string, more: object = {}): NonNullable<RequestInit['request']> => ({
	case: 'publish',
	value: { topic: 'news', eventType, sourcePlugin: 'p', ...more },
});

/** A `publish` in hex: topic, type, payload if there is one, source. */
const bare = (type: string): string => `0a046e6577731201${hexOf(type)}220170`;

describe('an event for a plugin in Go', () => {
	it('is a publish request to its server when its manifest needs the topic', async ({ skip }) => {
		if ('reason' in go) return skip(go.reason);
		const client = await openWith(go.program, ['--needs-events=news']);
		await send(client, publish('a'));
		await send(client, publish('x', { topic: 'other' }));
		await send(client, publish('b', { payload: { k: 'v' } }));
		const payload = '1a0a0a080a016b12031a0176';
		expect(await events(client, 2)).toEqual([bare('a'), bare('b').replace('220170', `${payload}220170`)]);
	});

	it('is one publish request however many of its subscriptions it passes, until the last is gone', async ({
		skip,
	}) => {
		if ('reason' in go) return skip(go.reason);
		const client = await openWith(go.program);
		for (const subscriptionId of ['one', 'two'])
			await send(client, { case: 'subscribe', value: { subscriptionId, topic: 'news' } });
		await send(client, {
			case: 'subscribe',
			value: { subscriptionId: 'three', topic: 'news', filters: { k: 'no' } },
		});
		await send(client, publish('a'));
		await send(client, publish('b'));
		expect(await events(client, 2)).toEqual([bare('a'), bare('b')]);
		for (const subscriptionId of ['one', 'two', 'three'])
			await send(client, { case: 'unsubscribe', value: { subscriptionId } });
		await send(client, publish('c'));
		await send(client, { case: 'subscribe', value: { subscriptionId: 'four', topic: 'news' } });
		await send(client, publish('d'));
		expect(await events(client, 3)).toEqual([bare('a'), bare('b'), bare('d')]);
	});
});

async function openWith(program: string, flags: string[] = []): Promise<Client> {
	const raw = { id: 'tools.go', binary: program, args: ['plugin', '--raw', ...flags] };
	return configuredFolder({ plugins: [raw] }).open();
}

function send(client: Client, request: NonNullable<RequestInit['request']>): Promise<string> {
	return callText(client, 'go_send', { hex: Buffer.from(encodePluginRequest({ request })).toString('hex') });
}

/** The publish requests that came, when there are this many. */
async function events(client: Client, count: number): Promise<string[]> {
	let found: string[] = [];
	await until(`${count} events came`, async () => {
		found = (await callText(client, 'go_events')).split(' ').filter((event) => event !== '');
		return found.length >= count;
	});
	return found;
}

function hexOf(text: string): string {
	return Buffer.from(text).toString('hex');
}
