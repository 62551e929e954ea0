/* The legacy era over HTTP, by a raw client. */
import { describe, expect, it } from 'vitest';
import type { Authenticate } from '../../src/http/authenticate.ts';
import type { EventStream } from '../../src/http/event-stream.ts';
import { HttpLimits } from '../../src/http/http-limits.ts';
import { PushStreamTable } from '../../src/http/legacy/push-stream-table.ts';
import { ReplayBuffer } from '../../src/http/legacy/replay-buffer.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import { HttpSession, openListener, send } from '../support/http-listener.ts';
import { kitchenSink } from '../support/mcp-server.ts';
import type { Wire } from '../support/raw-client.ts';
import { deferred, until } from '../support/waiting.ts';

describe('a session', () => {
	it('begins with initialize and ends with DELETE', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url);
		expect(session.id).toMatch(/^[\x21-\x7e]{16,}$/);
		expect((await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
		expect(await (await session.call('echo', { text: 'a' })).json()).toMatchObject({
			result: { content: [{ text: 'a' }] },
		});
		expect((await session.delete()).status).toBe(200);
		expect((await session.call('echo', { text: 'a' })).status).toBe(404);
		expect((await session.delete()).status).toBe(404);
	});

	it('is needed: 400 without its id, 404 with an unknown one, both with the id of the request', async () => {
		const { url } = await openListener();
		const body = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
		const missing = await send(url, { body });
		expect([missing.status, (await missing.json()).id]).toEqual([400, 'a']);
		const unknown = await send(url, { body, headers: { 'Mcp-Session-Id': 'nope' } });
		expect([unknown.status, (await unknown.json()).id]).toEqual([404, 'a']);
	});

	it('cannot be used by another principal', async () => {
		const authenticate: Authenticate = ({ headers }) => headers.authorization;
		const { url } = await openListener({ authenticate });
		const session = await HttpSession.open(url, { token: 'ann' });
		const stranger = new HttpSession(url, session.id, 'bob');
		expect((await stranger.request('tools/list')).status).toBe(404);
		expect((await stranger.get()).status).toBe(404);
		expect((await stranger.delete()).status).toBe(404);
		expect((await session.request('tools/list')).status).toBe(200);
	});

	it('checks the version header: a legacy one or none', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url);
		const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
		expect((await session.post(body)).status).toBe(200);
		expect((await session.post(body, { 'MCP-Protocol-Version': '2025-06-18' })).status).toBe(200);
		expect((await session.post(body, { 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400);
		expect((await session.post(body, { 'MCP-Protocol-Version': '2026-07-28' })).status).toBe(400);
	});

	it('is initialized once', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url);
		expect((await session.request('initialize', { protocolVersion: '2025-11-25' })).status).toBe(400);
	});

	it('that is idle too long ends', async () => {
		const listener = await openListener({ limits: { sessionIdleMs: 1 } });
		const session = await HttpSession.open(listener.url);
		await until('it ended', () => listener.sessionCount === 0);
		expect((await session.request('ping')).status).toBe(404);
	});

	it('with an open stream does not count as idle', async () => {
		const listener = await openListener({ limits: { sessionIdleMs: 600 } });
		const session = await HttpSession.open(listener.url);
		const stream = await session.get();
		await HttpSession.open(listener.url);
		await until('the other one ended', () => listener.sessionCount === 1);
		expect((await session.request('ping')).status).toBe(200);
		stream.cut();
	});

	it('over the limit replaces the one that is idle longest, and is refused when none is idle', async () => {
		const { url } = await openListener({ limits: { sessions: 2 } });
		const [first, second] = [await HttpSession.open(url), await HttpSession.open(url)];
		const third = await HttpSession.open(url);
		expect((await first.request('ping')).status).toBe(404);
		const streams = [await second.get(), await third.get()];
		const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
		expect((await send(url, { body })).status).toBe(503);
		for (const stream of streams) stream.cut();
	});
});

describe('a request', () => {
	it('whose id is in flight is refused, and the first one is answered', async () => {
		const { promise, resolve } = deferred<string>();
		const { url } = await openListener({ provider: provideTool(() => promise) });
		const session = await HttpSession.open(url);
		const first = session.call('go', {}, 7);
		await until('it is in flight', async () => (await session.call('go', {}, 7)).status === 400);
		resolve('done');
		expect(await finalResult(await first)).toMatchObject({ id: 7, result: { content: [{ text: 'done' }] } });
	});

	it('that takes long gets a stream that begins with an event id', async () => {
		const { promise, resolve } = deferred<string>();
		const { url } = await openListener({
			provider: provideTool(() => promise),
			limits: { streamAfterMs: 1 },
		});
		const session = await HttpSession.open(url);
		const answer = await session.call('go');
		resolve('done');
		const [first, second] = await answer.events();
		expect(first).toMatchObject({ data: '', id: expect.any(String), retry: expect.any(String) });
		expect(JSON.parse(second?.data ?? '')).toMatchObject({ result: { content: [{ text: 'done' }] } });
	});

	it('of an older revision gets no event without a message', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url, { version: '2025-06-18' });
		const events = await (await session.call('work')).events();
		expect(events.every(({ data }) => data !== '')).toBe(true);
	});

	it('gets its own progress, log messages and client requests on its own stream', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url, { capabilities: { elicitation: {} } });
		const push = await session.get();
		const [asking, working] = await Promise.all([session.call('name'), session.call('work')]);
		const kinds = (await working.messages()).map(
			({ method = 'result', params }) => params?.progressToken ?? method,
		);
		expect(kinds).toEqual(['work', 'notifications/message', 'work', 'result']);
		const [question] = await asking.messages(1);
		expect(question).toMatchObject({ method: 'elicitation/create' });
		const result = { action: 'accept', content: { name: 'Ann' } };
		expect((await session.post({ jsonrpc: '2.0', id: question?.id, result })).status).toBe(202);
		expect((await asking.messages()).at(-1)).toMatchObject({
			result: { content: [{ text: 'Hello, Ann!' }] },
		});
		expect(push.message.read()).toBeNull();
		push.cut();
	});

	it('that is canceled gets the end of its stream and no response', async () => {
		const { provider, canceled } = cancelableProvider();
		const { url } = await openListener({ provider });
		const session = await HttpSession.open(url);
		const answer = session.call('go', {}, 5);
		await until('it is in flight', async () => (await session.call('go', {}, 5)).status === 400);
		const params = { requestId: 5 };
		expect((await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })).status).toBe(
			202,
		);
		await canceled;
		expect(await (await answer).messages()).toEqual([]);
	});

	it('goes on when its connection is cut, and its messages can be read by resuming', async () => {
		const { promise, resolve } = deferred<string>();
		const provider = provideTool((context) => {
			context.progress(1);
			return promise.then((text) => {
				context.progress(2);
				return text;
			});
		});
		const { url } = await openListener({ provider });
		const session = await HttpSession.open(url);
		const answer = await session.call('go');
		const [, event] = await answer.events(1);
		answer.cut();
		resolve('done');
		const resumed = await resume(session, event?.id ?? '');
		expect(await resumed.messages()).toMatchObject([
			{ params: { progress: 2 } },
			{ result: { content: [{ text: 'done' }] } },
		]);
		const again = await resume(session, event?.id ?? '');
		expect(await again.messages()).toHaveLength(2);
	});

	it('is resumed while it runs, and only with its own messages', async () => {
		const { promise, resolve } = deferred<string>();
		const provider = provideTool((context) => {
			context.progress(1);
			return promise;
		});
		const { url } = await openListener({ provider });
		const session = await HttpSession.open(url);
		const [one, other] = await Promise.all([session.call('go', {}, 'one'), session.call('go', {}, 'other')]);
		const [prime] = await one.events(1);
		one.cut();
		const resumed = await resume(session, prime?.id ?? '');
		expect(await resumed.messages(1)).toMatchObject([{ method: 'notifications/progress' }]);
		resolve('done');
		expect(await resumed.messages()).toMatchObject([{ id: 'one' }]);
		expect(await finalResult(other)).toMatchObject({ id: 'other' });
	});

	it('whose messages are no longer retained cannot be resumed', async () => {
		const { url } = await openListener({ limits: { replayMessages: 1 } });
		const session = await HttpSession.open(url);
		const [prime] = await (await session.call('work')).events();
		expect((await session.get({ 'Last-Event-ID': prime?.id ?? '' })).status).toBe(400);
	});

	it('that runs and whose messages are no longer retained cannot be resumed either', async () => {
		const provider = provideTool((context) => {
			for (const step of [1, 2, 3]) context.progress(step);
			return new Promise(() => {});
		});
		const { url } = await openListener({ provider, limits: { replayCharacters: 1 } });
		const session = await HttpSession.open(url);
		const answer = await session.call('go');
		const [prime, , , last] = await answer.events(3);
		answer.cut();
		expect((await resume(session, prime?.id ?? '')).status).toBe(400);
		const resumed = await resume(session, last?.id ?? '');
		expect(resumed.status).toBe(200);
		resumed.cut();
	});

	it('in a batch is answered in an array in 2025-03-26, and refused in later revisions', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url, { version: '2025-03-26' });
		const batch = [
			{ jsonrpc: '2.0', id: 1, method: 'ping' },
			{ jsonrpc: '2.0', method: 'notifications/initialized' },
			{ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'later', arguments: { text: 'b' } } },
		];
		const answer = await session.post(batch);
		expect(JSON.parse(await answer.text())).toMatchObject([
			{ id: 1 },
			{ id: 2, result: { content: [{ text: 'b' }] } },
		]);
		expect((await session.post([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202);
		expect((await session.post([{ jsonrpc: '2.0', id: 1, method: 'initialize' }])).status).toBe(400);
		expect((await (await HttpSession.open(url)).post(batch)).status).toBe(400);
	});

	it('in a batch over the limit is refused, and none of it runs', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url, { version: '2025-03-26' });
		const batch = Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
		const refused = await session.post(batch);
		expect([refused.status, (await refused.json()).error?.message]).toEqual([
			400,
			'a batch may have 100 messages; this one has 101',
		]);
		expect(JSON.parse(await (await session.post(batch.slice(1))).text())).toHaveLength(100);
	});

	it('in a batch whose responses are over the limit gets an error for those that do not fit', async () => {
		const { url } = await openListener({ limits: { collectedCharacters: 2000 } });
		const session = await HttpSession.open(url, { version: '2025-03-26' });
		const params = { name: 'echo', arguments: { text: 'x'.repeat(700) } };
		const call = (id: number): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
		for (const ids of [
			[1, 2, 3],
			[4, 5, 6],
		]) {
			const answers: Wire[] = JSON.parse(await (await session.post(ids.map(call))).text());
			expect(answers.map(({ id, error }) => [id, error?.message])).toEqual([
				[ids[0], undefined],
				[ids[1], undefined],
				[ids[2], expect.stringContaining('was dropped: 2000 characters')],
			]);
		}
	});

	it('in a batch with notifications streams each response alone', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url, { version: '2025-03-26' });
		const work = { name: 'work', _meta: { progressToken: 'w' } };
		const answer = await session.post([
			{ jsonrpc: '2.0', id: 1, method: 'ping' },
			{ jsonrpc: '2.0', id: 2, method: 'tools/call', params: work },
		]);
		const messages = await answer.messages();
		expect(messages.filter(({ method }) => method === undefined).map(({ id }) => id)).toEqual([1, 2]);
	});
});

describe('a stream for push', () => {
	it('gets changes, each on one stream only: the newest', async () => {
		const provider = kitchenSink();
		const { url } = await openListener({ provider });
		const session = await HttpSession.open(url);
		await session.request('tools/list');
		const [first, second] = [await session.get(), await session.get()];
		provider.notifyChange({ kind: 'tools' });
		expect(await second.messages(1)).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
		second.cut();
		await until('the first one is used again', () => {
			provider.notifyChange({ kind: 'tools' });
			return first.message.readableLength > 0;
		});
		first.cut();
	});

	it('gets what came while there was none', async () => {
		const provider = kitchenSink();
		const { url } = await openListener({ provider });
		const session = await HttpSession.open(url);
		await session.request('tools/list');
		provider.notifyChange({ kind: 'tools' });
		const stream = await session.get();
		expect(await stream.messages(1)).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
		stream.cut();
	});

	it('gets what fits of what came while there was none', async () => {
		const replay = new ReplayBuffer(new HttpLimits());
		const limits = Object.assign(new HttpLimits(), { unsentMessages: 4, unsentCharacters: 10 });
		const streams = new PushStreamTable(limits, replay);
		for (const text of ['a', 'b', 'c'.repeat(11), 'd'.repeat(6), 'e'.repeat(4), 'f', 'g']) streams.send(text);
		const sent: string[] = [];
		const stream = { send: (text: string) => void sent.push(text), onClose: () => {} };
		streams.add(stream as unknown as EventStream, 'g1', 0);
		expect(sent).toEqual(['eeee', 'f', 'g']);
	});

	it('is limited in number', async () => {
		const { url } = await openListener({ limits: { sessionStreams: 1 } });
		const session = await HttpSession.open(url);
		const first = await session.get();
		expect((await session.get()).status).toBe(503);
		first.cut();
	});

	it('ends with its session', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url);
		const stream = await session.get();
		await session.delete();
		expect(await stream.messages()).toEqual([]);
	});
});

type Answer = Awaited<ReturnType<typeof send>>;

async function finalResult(answer: Answer): Promise<unknown> {
	return answer.isStream ? (await answer.messages()).at(-1) : answer.json();
}

function resume(session: HttpSession, id: string): Promise<Answer> {
	return session.get({ 'Last-Event-ID': id });
}

function provideTool(run: (context: CallContext) => unknown) {
	return provide({
		name: 'p',
		version: '1',
		tools: { go: { run: (_input: unknown, context: CallContext) => run(context) as Promise<string> } },
	});
}

function cancelableProvider() {
	const { promise: canceled, resolve } = deferred();
	const provider = provideTool(({ signal }) => {
		signal.addEventListener('abort', () => resolve());
		return new Promise(() => {});
	});
	return { provider, canceled };
}
