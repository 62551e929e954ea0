/* The modern era over HTTP, by a raw client. */
import { describe, expect, it } from 'vitest';
import type { Authenticate } from '../../src/http/authenticate.ts';
import type { HttpRoute } from '../../src/http/http-route.ts';
import { ModernSessions } from '../../src/http/modern/modern-sessions.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import {
	hangingProvider,
	modernRequest,
	openListener,
	type SendOptions,
	send,
} from '../support/http-listener.ts';
import { kitchenSink } from '../support/mcp-server.ts';
import { gateway, serveServers } from '../support/served-hub.ts';
import { deferred, until } from '../support/waiting.ts';

const call = (name: string, args: object = {}, more: object = {}): SendOptions =>
	modernRequest('tools/call', { name, arguments: args }, more);

describe('a modern request', () => {
	it('is answered with JSON when nothing comes before the result', async () => {
		const { url } = await openListener();
		const answer = await send(url, call('echo', { text: 'hé' }));
		expect([answer.status, answer.header('content-type')]).toEqual([200, 'application/json']);
		expect(answer.header('mcp-session-id')).toBeUndefined();
		expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{ text: 'hé' }] } });
	});

	it('shares its session with those of the same client name alone', async () => {
		const served = await serveServers({ gate: gateway({ scope: 'session' }) });
		const { url } = await openListener({ provider: served.opened.hub });
		const pidFor = async (name: string): Promise<string> => {
			const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
			const { result } = await (await send(url, call('gate__pid', {}, { meta }))).json();
			return result.content[0].text;
		};
		const [one, two, again] = [await pidFor('one'), await pidFor('two'), await pidFor('one')];
		expect(two).not.toBe(one);
		expect(again).toBe(one);
	});

	it('of one client name too many ends the session that was not used for longest', async () => {
		const ended: string[] = [];
		const provider = Object.assign(kitchenSink(), {
			sessions: { closed: (id: string) => void ended.push(id) },
		});
		const sessions = new ModernSessions(provider, { sessions: 2, sessionIdleMs: 1000 });
		const [one, two] = [sessions.use('token', { name: 'one' }), sessions.use('token', { name: 'two' })];
		sessions.release(two);
		sessions.use('token', { name: 'three' });
		sessions.use('token', { name: 'four' });
		expect(ended).toEqual([two.sessionId, one.sessionId]);
	});

	it('is answered with a stream once a notification comes before the result', async () => {
		const { url } = await openListener();
		const answer = await send(url, call('work', {}, { meta: { progressToken: 'p' } }));
		expect(answer.message.headers).toMatchObject({
			'content-type': 'text/event-stream',
			'cache-control': 'no-cache, no-transform',
			'x-accel-buffering': 'no',
		});
		const events = await answer.events();
		expect(events.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
		expect(events.map(({ data }) => JSON.parse(data).method ?? 'result')).toEqual([
			'notifications/progress',
			'notifications/progress',
			'result',
		]);
	});

	it.each([
		['an unknown method', modernRequest('nope/nope'), 404, -32601],
		['initialize', modernRequest('initialize'), 404, -32601],
		['an unknown tool', call('nope'), 200, -32602],
		['a capability that is not declared', call('name'), 400, -32021],
		['a version that is not served', withVersion('2099-01-01'), 400, -32022],
		[
			'a header that contradicts the body',
			{ ...call('echo'), headers: { ...call('echo').headers, 'Mcp-Name': 'sum' } },
			400,
			-32020,
		],
		['a header that is missing', { ...call('echo'), headers: {} }, 400, -32020],
		[
			'a missing _meta',
			{
				headers: { 'MCP-Protocol-Version': '2026-07-28' },
				body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
			},
			400,
			-32602,
		],
		['missing capabilities', withoutCapabilities(), 400, -32602],
	])('with %s gets its status and code, with its id', async (_, request, status, code) => {
		const { url } = await openListener();
		const answer = await send(url, request);
		expect(answer.status).toBe(status);
		expect(await answer.json()).toMatchObject({ id: 1, error: { code } });
	});

	it.each([
		['is not JSON', '{', -32700],
		['is not an object', '7', -32600],
		['is a batch', '[]', -32600],
		['has no version of JSON-RPC', '{"method":"x"}', -32600],
	])('that %s gets 400 and an error without an id', async (_, body, code) => {
		const { url } = await openListener();
		const answer = await send(url, { body });
		expect(answer.status).toBe(400);
		const error = await answer.json();
		expect([error['error'].code, 'id' in error]).toEqual([code, false]);
	});

	it('keeps an id that a double would lose', async () => {
		const { url } = await openListener();
		const { headers, body } = modernRequest('tools/list');
		const text = JSON.stringify(body).replace('"id":1,', '"id":12345678901234567890,');
		expect(await (await send(url, { headers, body: text })).text()).toContain('"id":12345678901234567890,');
	});

	it('may have the same id as another one in flight: clients are strangers to each other', async () => {
		const { url } = await openListener();
		const hanging = send(url, call('hang'));
		expect((await send(url, call('later', { text: 'a' }))).status).toBe(200);
		hanging.catch(() => {}); // the listener closes it
	});

	it('is canceled when its client disconnects', async () => {
		const { provider, started, canceled } = hangingProvider();
		const { url } = await openListener({ provider });
		const answer = await send(url, call('hang', {}, { meta: { progressToken: 1 } }));
		await started;
		answer.cut();
		await canceled;
	});

	it('repeats arguments in headers where the schema says so', async () => {
		const properties = {
			region: { type: 'string', 'x-mcp-header': 'Region' },
			n: { type: 'integer', 'x-mcp-header': 'N' },
		};
		const provider = provide({
			name: 'p',
			version: '1',
			tools: { go: { inputSchema: { type: 'object', properties }, run: () => 'ok' } },
		});
		const { url } = await openListener({ provider });
		const at = async (headers: Record<string, string>, args: object): Promise<number> =>
			(await send(url, { ...call('go', args), headers: { ...call('go').headers, ...headers } })).status;
		expect(await at({ 'Mcp-Param-Region': 'eu', 'Mcp-Param-N': '07' }, { region: 'eu', n: 7 })).toBe(200);
		expect(await at({ 'Mcp-Param-Region': '=?base64?w6k=?=' }, { region: 'é' })).toBe(200);
		expect(await at({ 'Mcp-Param-Region': '=?base64?w6k?=' }, { region: 'é' })).toBe(400);
		expect(await at({ 'Mcp-Param-Region': 'us' }, { region: 'eu' })).toBe(400);
		expect(await at({}, { region: 'eu' })).toBe(400);
		expect(await at({ 'Mcp-Param-Region': 'eu' }, {})).toBe(400);
	});

	it('that asks the client continues with the retry, on another connection', async () => {
		const { url } = await openListener();
		const capabilities = { elicitation: {} };
		const first = await (await send(url, call('name', {}, { capabilities }))).json();
		expect(first['result'].resultType).toBe('input_required');
		const { inputRequests, requestState } = first['result'];
		const key = Object.keys(inputRequests)[0] ?? '';
		const inputResponses = { [key]: { action: 'accept', content: { name: 'Ann' } } };
		const retry = modernRequest(
			'tools/call',
			{ name: 'name', arguments: {}, inputResponses, requestState },
			{ capabilities },
		);
		expect(await (await send(url, retry)).json()).toMatchObject({
			result: { content: [{ text: 'Hello, Ann!' }] },
		});
	});

	it('that asks the client is not continued by another sender', async () => {
		const tokens: Authenticate = ({ headers }) => headers.authorization?.replace('Bearer ', '');
		const { url } = await openListener({ authenticate: tokens });
		const capabilities = { elicitation: {} };
		const first = await (await send(url, { ...call('name', {}, { capabilities }), token: 'ann' })).json();
		const { inputRequests, requestState } = first['result'];
		const inputResponses = { [Object.keys(inputRequests)[0] ?? '']: { action: 'accept', content: {} } };
		const params = { name: 'name', arguments: {}, inputResponses, requestState };
		const retry = modernRequest('tools/call', params, { capabilities });
		expect(await (await send(url, { ...retry, token: 'bob' })).json()).toMatchObject({
			error: { code: -32602, message: 'requestState was refused: it belongs to another request' },
		});
		expect(await (await send(url, { ...retry, token: 'ann' })).json()).toHaveProperty('result');
	});

	it('with a body of ten megabytes is answered', async () => {
		const { url } = await openListener();
		const text = 'x'.repeat(10 * 1024 * 1024 - 1000);
		const answer = await (await send(url, call('echo', { text }))).json();
		expect(answer['result'].content[0].text).toHaveLength(text.length);
	});
});

describe('a subscription', () => {
	const listen = modernRequest(
		'subscriptions/listen',
		{ notifications: { toolsListChanged: true } },
		{ id: 'sub' },
	);

	it('is acknowledged on a stream, gets changes, and ends when the client disconnects', async () => {
		const provider = kitchenSink();
		const { url } = await openListener({ provider });
		const answer = await send(url, listen);
		expect(await answer.messages(1)).toMatchObject([{ method: 'notifications/subscriptions/acknowledged' }]);
		provider.notifyChange({ kind: 'tools' });
		expect(await answer.messages(1)).toMatchObject([
			{
				method: 'notifications/tools/list_changed',
				params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
			},
		]);
		answer.cut();
	});

	it('is answered when the listener closes', async () => {
		const listener = await openListener();
		const answer = await send(listener.url, listen);
		await answer.messages(1);
		const closed = listener.close();
		expect(await answer.messages()).toMatchObject([{ id: 'sub', result: { resultType: 'complete' } }]);
		await closed;
	});

	it('gets comments while there is nothing to send', async () => {
		const { url } = await openListener({ limits: { commentMs: 1 } });
		const answer = await send(url, listen);
		await until('a comment came', () => String(answer.message.read() ?? '').includes(': keep-alive\n\n'));
	});

	it('over the limit of streams gets 503, until another one ends', async () => {
		const other: HttpRoute = {
			path: '/other',
			serve: ({ response, streams }) => void response.writeHead(streams.isFull ? 503 : 200).end(),
		};
		const { url } = await openListener({ limits: { pushStreams: 1 }, routes: [other] });
		const first = await send(url, listen);
		await first.messages(1);
		const refused = await send(url, listen);
		expect([refused.status, refused.header('retry-after')]).toEqual([503, '5']);
		expect((await send(new URL('/other', url).href, {})).status).toBe(503);
		first.cut();
		await until('there is room', async () => {
			const answer = await send(url, listen);
			answer.cut();
			return answer.status === 200;
		});
	});
});

describe('a slow answer', () => {
	it('becomes a stream with comments before its result', async () => {
		const { promise, resolve } = deferred<string>();
		const provider = provide({ name: 'p', version: '1', tools: { slow: { run: () => promise } } });
		const { url } = await openListener({ provider, limits: { commentMs: 1 } });
		const answer = await send(url, call('slow'));
		expect(answer.isStream).toBe(true);
		resolve('done');
		expect(await answer.messages()).toMatchObject([{ result: { content: [{ text: 'done' }] } }]);
	});

	it('that is not read is ended, and its call is canceled', async () => {
		const { promise: canceled, resolve } = deferred();
		const provider = provide({
			name: 'p',
			version: '1',
			tools: {
				flood: {
					run: async (_input: unknown, context: CallContext) => {
						context.signal.addEventListener('abort', () => resolve());
						const message = 'x'.repeat(10_000);
						for (let count = 1; !context.isCanceled; count++) {
							context.progress(count, undefined, message);
							if (count % 10 === 0) await new Promise(setImmediate);
						}
					},
				},
			},
		});
		const { url } = await openListener({ provider, limits: { unreadBytes: 100_000 } });
		const answer = await send(url, call('flood', {}, { meta: { progressToken: 1 } }));
		expect(answer.isStream).toBe(true);
		await canceled;
	});
});

function withVersion(version: string): SendOptions {
	const { headers, body } = modernRequest('tools/list');
	const text = JSON.stringify(body).replace('2026-07-28', version);
	return { headers: { ...headers, 'MCP-Protocol-Version': version }, body: text };
}

function withoutCapabilities(): SendOptions {
	const { headers, body } = modernRequest('tools/list');
	return { headers, body: JSON.stringify(body).replace('clientCapabilities', 'other') };
}
