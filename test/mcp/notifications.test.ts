/* Progress, log messages and changes, in both eras. */

import { describe, expect, it } from 'vitest';
import type { ToolReturn } from '../../src/mcp/define/definition.ts';
import type { DefinitionProvider } from '../../src/mcp/define/definition-provider.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import { LISTEN_REQUESTS_LIMIT, RESOURCE_SUBSCRIPTIONS_LIMIT } from '../../src/mcp/mcp-limits.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import type { Awaitable } from '../../src/protocol/mcp-types.ts';
import { rpcError } from '../../src/rpc/rpc-error.ts';
import { kitchenSink } from '../support/mcp-server.ts';
import { modernMeta, RawClient } from '../support/raw-client.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const work = { name: 'work' };

describe('progress', () => {
	it.each(['legacy', 'modern'])(
		'is sent under the token of the request, and stops with the request: %s',
		async (era) => {
			const client = await RawClient.legacy(kitchenSink());
			const _meta = era === 'modern' ? modernMeta({}, { progressToken: 'p' }) : { progressToken: 'p' };
			await client.request('tools/call', { ...work, _meta });
			await client.request('ping');
			expect(client.notices('notifications/progress').map(({ params }) => params)).toEqual([
				{ progressToken: 'p', progress: 1, total: 2, message: 'half' },
				{ progressToken: 'p', progress: 2, total: 2 },
			]);
			await client.end();
		},
	);

	it('rises whatever the work says, and is left out where it is no number', async () => {
		const said = [0, 0, 50, 75, 4, Number.NaN, Number.POSITIVE_INFINITY, 75, 1e17, 1e17];
		const client = await RawClient.legacy(
			toolOf((context) => {
				for (const progress of said) context.progress(progress, Number.NaN, 'x');
			}),
		);
		await client.request('tools/call', { name: 'tool', _meta: { progressToken: 1 } });
		const sent: number[] = client.notices('notifications/progress').map(({ params }) => params.progress);
		expect(sent).toHaveLength(8);
		for (const [at, progress] of sent.slice(1).entries()) expect(progress).toBeGreaterThan(sent[at] ?? 0);
		expect(sent[3]).toBe(75);
		await client.end();
	});

	it.each([null, { a: 1 }, true, 1.5])('is not sent under an invalid token: %j', async (progressToken) => {
		const client = await RawClient.legacy(kitchenSink());
		await client.request('tools/call', { ...work, _meta: { progressToken } });
		expect(client.notices('notifications/progress')).toEqual([]);
		await client.end();
	});

	it.each(['legacy', 'modern'])('stops, as logs do, when the call fails: %s', async (era) => {
		let later: CallContext | undefined;
		const client = await RawClient.legacy(
			toolOf(async (context) => {
				later = context;
				await Promise.resolve();
				throw rpcError(1234, 'boom');
			}),
		);
		const more = { progressToken: 1, [LOG_LEVEL]: 'debug' };
		const _meta = era === 'modern' ? modernMeta({}, more) : more;
		expect((await client.request('tools/call', { name: 'tool', _meta }))['error'].code).toBe(1234);
		later?.progress(1);
		later?.log('error', 'late');
		await client.request('ping');
		expect(client.received.filter(({ method }) => method !== undefined)).toEqual([]);
		await client.end();
	});

	it('is not sent to a client that did not ask for it', async () => {
		const client = await RawClient.legacy(kitchenSink());
		await client.request('tools/call', work);
		expect(client.notices('notifications/progress')).toEqual([]);
		await client.end();
	});
});

describe('a client that is gone', () => {
	it('gets no notification, and the handler is not disturbed', async () => {
		let finish: (outcome: string) => void = () => {};
		const finished = new Promise((resolve) => (finish = resolve));
		let begin = (): void => {};
		const begun = new Promise<void>((resolve) => (begin = resolve));
		const client = new RawClient({
			info: { name: 'x', version: '1' },
			capabilities: ['tools'],
			list: () => [],
			request: async ({ context }) => {
				begin();
				await gone;
				context.progress(1);
				context.log('error', 'not delivered');
				finish(context.wantsProgress ? 'worked' : 'no');
				return { content: [] };
			},
		});
		const gone = new Promise((resolve) => client.output.once('close', resolve));
		client.send({ id: 1, method: 'tools/call', params: { name: 'x', _meta: { progressToken: 1 } } });
		await begun;
		client.output.destroy();
		expect(await finished).toBe('worked');
		await client.end();
	});
});

describe('log messages', () => {
	it('follow the level of the legacy session', async () => {
		const client = await RawClient.legacy(kitchenSink());
		for (const [level, count] of [
			['debug', 2],
			['error', 3],
			['critical', 3],
		] as const) {
			expect((await client.request('logging/setLevel', { level }))['result']).toEqual({});
			await client.request('tools/call', work);
			expect(client.notices('notifications/message')).toHaveLength(count);
		}
		expect(client.notices('notifications/message').at(-1)?.['params']).toEqual({
			level: 'error',
			logger: 'work',
			data: { what: 'trouble' },
		});
		await client.end();
	});

	it.each([
		['2024-11-05', 0],
		['2025-03-26', 1],
		['2025-11-25', 1],
	] as const)(
		'of a %s session without a level of its own: %i of a warning and an info',
		async (version, count) => {
			const client = await RawClient.legacy(kitchenSink(), version);
			await client.request('tools/call', work);
			expect(client.notices('notifications/message')).toHaveLength(count);
			await client.end();
		},
	);

	it('come to a modern client only for requests that name a level', async () => {
		const client = new RawClient(kitchenSink());
		await client.modern('tools/call', work);
		await client.modern('tools/call', work, {}, { [LOG_LEVEL]: 'nonsense' });
		expect(client.notices('notifications/message')).toEqual([]);
		await client.modern('tools/call', work, {}, { [LOG_LEVEL]: 'info' });
		expect(client.notices('notifications/message')).toHaveLength(1);
		await client.modern('tools/call', work, {}, { [LOG_LEVEL]: 'debug' });
		expect(client.notices('notifications/message')).toHaveLength(3);
		await client.end();
	});

	it('of a modern request do not depend on the legacy session beside it', async () => {
		const client = await RawClient.legacy(kitchenSink());
		await client.request('logging/setLevel', { level: 'debug' });
		await client.modern('tools/call', work);
		expect(client.notices('notifications/message')).toEqual([]);
		await client.end();
	});
});

describe('changes towards a legacy client', () => {
	it('are sent once a session is open: for lists that were seen and resources that were subscribed to', async () => {
		const provider = kitchenSink();
		const client = new RawClient(provider);
		await client.request('ping');
		provider.notifyChange({ kind: 'tools' });
		await client.initialize('2025-11-25');
		await client.request('resources/subscribe', { uri: 'note://one' });
		const kinds = ['tools', 'prompts', 'resources'] as const;
		for (const kind of kinds) provider.notifyChange({ kind });
		for (const kind of kinds) await client.request(`${kind}/list`);
		for (const kind of kinds) provider.notifyChange({ kind });
		provider.notifyChange({ kind: 'resource', uri: 'note://one' });
		provider.notifyChange({ kind: 'resource', uri: 'note://other' });
		await client.request('resources/unsubscribe', { uri: 'note://one' });
		provider.notifyChange({ kind: 'resource', uri: 'note://one' });
		await client.request('ping');
		expect(client.received.filter(({ id }) => id === undefined)).toEqual([
			{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
			{ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' },
			{ jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
			{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://one' } },
		]);
		await client.end();
	});

	it('of too many resources are refused', async () => {
		const client = await RawClient.legacy(kitchenSink());
		for (let index = 0; index < RESOURCE_SUBSCRIPTIONS_LIMIT; index++)
			client.send({ id: `w${index}`, method: 'resources/subscribe', params: { uri: `note://${index}` } });
		const { error } = await client.request('resources/subscribe', { uri: 'note://more' });
		expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('10000') });
		await client.end();
	});
});

describe('subscriptions of a modern client', () => {
	it('are acknowledged first with the notifications that follow, and all carry their id', async () => {
		const provider = kitchenSink();
		const client = new RawClient(provider);
		listen(client, 'sub', { toolsListChanged: true, resourceSubscriptions: ['note://one'], other: true });
		await client.modern('tools/list');
		for (const kind of ['tools', 'prompts', 'resources'] as const) provider.notifyChange({ kind });
		provider.notifyChange({ kind: 'resource', uri: 'note://one' });
		provider.notifyChange({ kind: 'resource', uri: 'note://other' });
		await client.modern('tools/list');
		const _meta = { [SUBSCRIPTION]: 'sub' };
		expect(client.received.filter(({ id }) => id === undefined)).toEqual([
			{
				jsonrpc: '2.0',
				method: 'notifications/subscriptions/acknowledged',
				params: {
					_meta,
					notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] },
				},
			},
			{ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
			{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { _meta, uri: 'note://one' } },
		]);
		await client.end();
	});

	it('are granted only the notifications that the server supports', async () => {
		const client = new RawClient(provide({ name: 'tools only', version: '1', tools: {} }));
		const acknowledged = client.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
		const wanted = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['x://y'] };
		listen(client, 1, wanted);
		expect((await acknowledged)['params'].notifications).toEqual({ toolsListChanged: true });
		await client.end();
	});

	it('are independent, and a cancelled one gets no more notifications and no answer', async () => {
		const provider = kitchenSink();
		const client = new RawClient(provider);
		listen(client, 'a', { promptsListChanged: true });
		listen(client, 'b', { promptsListChanged: true });
		client.send({ method: 'notifications/cancelled', params: { requestId: 'a' } });
		await client.modern('tools/list');
		provider.notifyChange({ kind: 'prompts' });
		await client.modern('tools/list');
		const sent = client.notices('notifications/prompts/list_changed');
		expect(sent.map(({ params }) => params._meta[SUBSCRIPTION])).toEqual(['b']);
		expect(client.received.some(({ id }) => id === 'a')).toBe(false);
		await client.end();
	});

	it('are answered when the server ends first', async () => {
		const client = new RawClient(kitchenSink());
		listen(client, 'sub', {});
		await client.modern('tools/list');
		const answered = client.next(({ id }) => id === 'sub');
		await client.end();
		expect((await answered)['result']).toMatchObject({
			resultType: 'complete',
			_meta: { [SUBSCRIPTION]: 'sub' },
		});
	});

	it('are bounded in number and in resources', async () => {
		const client = new RawClient(kitchenSink());
		for (let index = 0; index < LISTEN_REQUESTS_LIMIT; index++) listen(client, `s${index}`, {});
		const many = await client.modern('subscriptions/listen', { notifications: {} });
		expect(many['error']).toMatchObject({ code: -32602, message: expect.stringContaining('1024') });
		await client.end();
		const other = new RawClient(kitchenSink());
		const resourceSubscriptions = Array.from(
			{ length: RESOURCE_SUBSCRIPTIONS_LIMIT + 1 },
			(_, index) => `n://${index}`,
		);
		const wide = await other.modern('subscriptions/listen', { notifications: { resourceSubscriptions } });
		expect(wide['error'].code).toBe(-32602);
		expect((await other.modern('subscriptions/listen', {}))['error'].code).toBe(-32602);
		await other.end();
	});

	it('notify the provider of each subscriber of a resource, in both eras', async () => {
		const watched: [string, boolean][] = [];
		const client = await RawClient.legacy({
			info: { name: 'x', version: '1' },
			capabilities: Promise.resolve(['resources' as const]),
			list: () => [],
			request: () => ({}),
			subscribeResource: (uri, isSubscribed) => void watched.push([uri, isSubscribed]),
		});
		await client.request('resources/subscribe', { uri: 'a:1' });
		await client.request('resources/subscribe', { uri: 'a:1' });
		const acknowledged = client.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
		listen(client, 'sub', { resourceSubscriptions: ['a:1', 'a:2'] });
		await acknowledged;
		await client.request('resources/unsubscribe', { uri: 'a:1' });
		expect(watched).toEqual([
			['a:1', true],
			['a:1', true],
			['a:2', true],
			['a:1', false],
		]);
		await client.end();
		expect(watched.slice(4)).toEqual([
			['a:1', false],
			['a:2', false],
		]);
	});
});

function listen(client: RawClient, id: unknown, notifications: Record<string, unknown>): void {
	client.send({ id, method: 'subscriptions/listen', params: { notifications, _meta: modernMeta() } });
}

/** A server with one tool that does this. */
function toolOf(run: (context: CallContext) => Awaitable<ToolReturn<unknown>>): DefinitionProvider {
	return provide({
		name: 'x',
		version: '1',
		tools: { tool: { run: (_input: unknown, context: CallContext) => run(context) } },
	});
}
