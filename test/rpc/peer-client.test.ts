import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { plainDialect } from '../../src/rpc/dialect.ts';
import { Peer, type PeerOptions } from '../../src/rpc/peer.ts';
import { rpcErrorOf, toRpcError } from '../../src/rpc/rpc-error.ts';
import { encodeJson } from '../../src/wire/json-text.ts';
import { FakeChannel, FakeClock } from '../support/fake-channel.ts';

describe('a peer that calls', () => {
	it('numbers its requests 1, 2, 3 and leaves absent params out', () => {
		const { peer, channel } = open();
		void peer.request('a');
		void peer.request('b', { x: 1 });
		expect(channel.sent).toEqual([
			'{"jsonrpc":"2.0","id":1,"method":"a"}',
			'{"jsonrpc":"2.0","id":2,"method":"b","params":{"x":1}}',
		]);
	});

	it('matches responses to their callers in any order', async () => {
		const { peer } = open();
		const [first, second] = [peer.request('a'), peer.request('b')];
		peer.message('{"jsonrpc":"2.0","id":2,"result":"two"}');
		peer.message('{"jsonrpc":"2.0","id":1,"result":"one"}');
		expect(await Promise.all([first, second])).toEqual(['one', 'two']);
		expect(peer.pendingCount).toBe(0);
	});

	it.each([
		['at its beginning', '{"jsonrpc":"2.0","id":1,"result":[', ''],
		['at its end', '{"result":[', '],"jsonrpc":"2.0","id":1}'],
	])(
		'fails a call whose response is above its bound without parsing it: id %s',
		async (_where, head, tail) => {
			const { peer } = open();
			const answer = peer.request('list', {}, { maxResponseCharacters: 2_000_000 });
			peer.message(`${head}${'no JSON '.repeat(300_000)}${tail}`);
			await expect(answer).rejects.toMatchObject({
				code: 'bad_frame',
				message: expect.stringMatching(
					/^the response has 24\d+ characters; this request takes at most 2000000$/,
				),
			});
		},
	);

	it('takes a response below its bound', async () => {
		const { peer } = open();
		const answer = peer.request('list', {}, { maxResponseCharacters: 2_000_000 });
		peer.message(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(1_500_000)}"}`);
		expect(await answer).toHaveLength(1_500_000);
	});

	it.each([
		['the id first', '{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}'],
		['the result first', '{"result":{"a":1.0},"jsonrpc":"2.0","id":1}'],
		['white space', '{ "jsonrpc": "2.0", "id": 1, "result": {"a":1.0} }'],
		['a member more', '{"jsonrpc":"2.0","id":1,"result":{"a":1.0},"trace":"x","x":{}}'],
		['the id again', '{"jsonrpc":"2.0","id":1,"result":{"a":2},"id":1,"result":{"a":1.0}}'],
		['an escaped name again', '{"jsonrpc":"2.0","id":1,"result":{"a":2},"\\u0069d":1,"result":{"a":1.0}}'],
	])('keeps the text of the result alone, of a response with %s', async (_what, response) => {
		const { peer } = open();
		const answer = peer.request('a', {}, { keepsText: true });
		peer.message(response);
		expect(await answer).toMatchObject({ text: '{"a":1.0}', value: { a: 1 } });
	});

	it('gives the value of a result that is nested more deeply than a scan goes, or that is absent', async () => {
		const { peer } = open();
		const [deep, absent] = ['a', 'b'].map((name) => peer.request(name, {}, { keepsText: true }));
		peer.message(`{"jsonrpc":"2.0","id":1,"result":${'['.repeat(600)}${']'.repeat(600)}}`);
		peer.message('{"jsonrpc":"2.0","id":2}');
		expect(Array.isArray(await deep)).toBe(true);
		expect(await absent).toBeNull();
	});

	it('keeps the numbers in the data of an error', async () => {
		const { peer } = open();
		const answer = peer.request('a', {}, { keepsText: true });
		const error = '{"code":-1,"message":"m","data":{"id":12345678901234567890}}';
		peer.message(`{"jsonrpc":"2.0","id":1,"error":${error}}`);
		const thrown = await answer.catch((reason: unknown) => reason);
		expect(encodeJson(toRpcError(thrown))).toBe(error);
	});

	it('resolves an answer without a result with null', async () => {
		const { peer } = open();
		const answer = peer.request('a');
		peer.message('{"jsonrpc":"2.0","id":1}');
		expect(await answer).toBeNull();
	});

	it('rejects with the error of the peer, its number and its data', async () => {
		const { peer } = open();
		const answer = peer.request('a');
		peer.message('{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":-32001,"message":"no","data":{"x":1}}}');
		const error = await answer.catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({ code: 'rpc', message: 'JSON-RPC error -32001: no' });
		expect(rpcErrorOf(error)).toEqual({ code: -32001, message: 'no', data: { x: 1 } });
		expect(rpcErrorOf(new Error('x'))).toBeUndefined();
		expect(rpcErrorOf(new OrchestraError('rpc', 'odd'))).toBeUndefined();
	});

	it('drops a response with an unknown id and one that arrives after a timeout', async () => {
		const { peer, clock } = open();
		const late = peer.request('a', undefined, { timeoutMs: 100 });
		clock.advance(100);
		await expect(late).rejects.toMatchObject({ code: 'timeout' });
		peer.message('{"jsonrpc":"2.0","id":1,"result":"late"}');
		peer.message('{"jsonrpc":"2.0","id":99,"result":"whose?"}');
		peer.message('{"jsonrpc":"2.0","id":"2","result":"a string is not our number"}');
		const next = peer.request('b');
		peer.message('{"jsonrpc":"2.0","id":2,"result":"fine"}');
		expect(await next).toBe('fine');
		expect(peer.droppedCount).toBe(3);
	});

	it('reports the id of a request before it sends it', () => {
		const { peer, channel } = open();
		const sentBefore: [number, number][] = [];
		for (const method of ['a', 'b'])
			void peer.request(method, undefined, { onId: (id) => sentBefore.push([id, channel.sent.length]) });
		expect(sentBefore).toEqual([
			[1, 0],
			[2, 1],
		]);
	});

	it('suspends idle timeouts and restarts them, but not the total timeout', async () => {
		const { peer, clock } = open();
		const idle = peer.request('a', undefined, { timeoutMs: 100 });
		const total = peer.request('b', undefined, { timeoutMs: 100, maxTotalMs: 250 });
		const [resume, resumeOther] = [peer.suspendIdle(), peer.suspendIdle()];
		clock.advance(250);
		await expect(total).rejects.toMatchObject({ data: { kind: 'total' } });
		resume();
		resume();
		clock.advance(150);
		expect(peer.pendingCount).toBe(1);
		resumeOther();
		clock.advance(99);
		expect(peer.pendingCount).toBe(1);
		clock.advance(1);
		await expect(idle).rejects.toMatchObject({ data: { kind: 'idle' } });
	});

	it('is not confused by a request of the peer with the same id', async () => {
		const { peer, channel } = open({ onRequest: () => 'served' });
		const answer = peer.request('a');
		peer.message('{"jsonrpc":"2.0","id":1,"method":"ping"}');
		expect(channel.sent[1]).toBe('{"jsonrpc":"2.0","id":1,"result":"served"}');
		expect(peer.pendingCount).toBe(1);
		peer.message('{"jsonrpc":"2.0","id":1,"result":"mine"}');
		expect(await answer).toBe('mine');
	});

	it('times out after 30 s by default, naming the milliseconds, and sends a cancellation', async () => {
		const { peer, channel, clock } = open();
		const answer = peer.request('slow');
		clock.advance(29_999);
		expect(peer.pendingCount).toBe(1);
		clock.advance(1);
		await expect(answer).rejects.toMatchObject({
			message: 'request timed out after 30000ms',
			data: { kind: 'idle' },
		});
		expect(channel.messages[1]).toMatchObject({
			method: 'notifications/cancelled',
			params: { requestId: 1 },
		});
	});

	it('lets each request have its own deadline with one timer for all', async () => {
		const { peer, clock } = open();
		const slow = peer.request('slow', undefined, { timeoutMs: 500 });
		const quick = peer.request('quick', undefined, { timeoutMs: 100 });
		expect(clock.timerCount).toBe(1);
		clock.advance(100);
		await expect(quick).rejects.toMatchObject({ code: 'timeout' });
		expect(peer.pendingCount).toBe(1);
		clock.advance(400);
		await expect(slow).rejects.toMatchObject({ message: 'request timed out after 500ms' });
	});

	it('restarts the idle timeout with each progress, up to the total timeout', async () => {
		const { peer, channel, clock } = open();
		const seen: unknown[] = [];
		const options = { timeoutMs: 100, maxTotalMs: 250, onProgress: (params: unknown) => seen.push(params) };
		const answer = peer.request('work', { x: 1, _meta: { traceparent: 't' } }, options);
		expect(channel.messages[0]).toMatchObject({
			params: { x: 1, _meta: { traceparent: 't', progressToken: 1 } },
		});
		for (const progress of [1, 2]) {
			clock.advance(90);
			peer.message(
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":${progress}}}`,
			);
		}
		clock.advance(70);
		await expect(answer).rejects.toMatchObject({
			message: 'request timed out after 250ms',
			data: { kind: 'total' },
		});
		expect(seen).toHaveLength(2);
	});

	it('asks for progress also when there are no params, and ignores tokens it does not know', () => {
		const { peer, channel } = open();
		void peer.request('a', undefined, { onProgress: () => {} });
		expect(channel.messages[0]).toMatchObject({ params: { _meta: { progressToken: 1 } } });
		peer.message(
			'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}',
		);
	});

	it('cancels by signal: rejects at once and sends a cancellation', async () => {
		const { peer, channel } = open();
		const controller = new AbortController();
		const answer = peer.request('a', undefined, { signal: controller.signal });
		controller.abort('enough');
		await expect(answer).rejects.toMatchObject({ code: 'canceled', cause: 'enough' });
		expect(channel.messages[1]).toMatchObject({ method: 'notifications/cancelled' });
		await expect(peer.request('b', undefined, { signal: controller.signal })).rejects.toMatchObject({
			code: 'canceled',
		});
		expect(channel.sent).toHaveLength(2);
	});

	it('removes its listener from the signal when the response arrives', async () => {
		const { peer, channel } = open();
		const controller = new AbortController();
		const answer = peer.request('a', undefined, { signal: controller.signal });
		peer.message('{"jsonrpc":"2.0","id":1,"result":1}');
		await answer;
		controller.abort();
		expect(channel.sent).toHaveLength(1);
	});

	it('sends no cancellation in a protocol that has none', async () => {
		const { peer, channel, clock } = open({ dialect: plainDialect });
		const answer = peer.request('a', [1], { timeoutMs: 10, onProgress: () => {} });
		clock.advance(10);
		await expect(answer).rejects.toMatchObject({ code: 'timeout' });
		expect(channel.sent).toEqual(['{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}']);
		peer.message('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
	});

	it('rejects a request that is not JSON and sends nothing', async () => {
		const { peer, channel } = open();
		const cycle: Record<string, unknown> = {};
		cycle['self'] = cycle;
		await expect(peer.request('a', cycle)).rejects.toMatchObject({
			code: 'bad_input',
			message: expect.stringMatching(/^failed to serialize request: /),
		});
		expect(() => peer.notify('a', { big: 1n })).toThrow('failed to serialize request');
		expect(channel.sent).toEqual([]);
	});

	it('rejects every pending call at once when the pipe ends, and every later one', async () => {
		const { peer } = open();
		const answers = [peer.request('a'), peer.request('b')];
		const reason = new OrchestraError('closed', 'process exited unexpectedly');
		peer.end(reason);
		peer.end(new OrchestraError('closed', 'again'));
		for (const answer of [...answers, peer.request('c')]) await expect(answer).rejects.toBe(reason);
	});

	it('rejects with the error of a broken pipe, and survives one while cancelling', async () => {
		const { peer, channel, clock } = open();
		const pending = peer.request('a', undefined, { timeoutMs: 10 });
		channel.isBroken = true;
		await expect(peer.request('b')).rejects.toMatchObject({ code: 'io', message: 'IO error: write EPIPE' });
		expect(() => peer.notify('n')).toThrow('IO error');
		clock.advance(10);
		await expect(pending).rejects.toMatchObject({ code: 'timeout' });
	});

	it('counts lines that are not messages as stray lines', () => {
		const { peer, channel } = open();
		peer.message('Server listening…');
		peer.message('   ');
		peer.message('{"hello":1}');
		peer.message('[]');
		expect(channel.strays).toEqual(['Server listening…', '{"hello":1}', '[]']);
		expect(channel.sent).toEqual([]);
	});

	it('fails the oldest call for a wrong id or a bad line in strict mode', async () => {
		const { peer } = open({ strict: true });
		const first = peer.request('a');
		peer.message('{"jsonrpc":"2.0","id":7,"result":1}');
		await expect(first).rejects.toThrow("response id 7 doesn't match request id 1");
		const second = peer.request('b');
		peer.message('not json');
		await expect(second).rejects.toMatchObject({
			code: 'parse',
			message: expect.stringMatching(/^failed to parse response: /),
		});
		peer.message('{"jsonrpc":"2.0","id":9,"result":1}');
	});

	it.each([
		['an error that is text', '{"jsonrpc":"2.0","id":1,"error":"no such tool"}', /`error` must be an object/],
		['no jsonrpc', '{"id":1,"result":{}}', /`jsonrpc` must be "2\.0"/],
		['an older jsonrpc', '{"jsonrpc":"1.0","id":1,"result":{}}', /`jsonrpc` must be "2\.0"/],
		['a batch of one', '[{"jsonrpc":"2.0","id":1,"result":{}}]', /no batches/],
	])('fails the call at once whose answer has %s, and quotes it', async (_, line, reason) => {
		const { peer, channel } = open();
		const [first, second] = [peer.request('a'), peer.request('b')];
		peer.message(line);
		const error = await first.catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({ code: 'bad_frame', message: expect.stringMatching(reason) });
		expect(error).toMatchObject({ message: expect.stringContaining(line), data: { line } });
		expect(channel.strays).toContain(line);
		peer.message('{"jsonrpc":"2.0","id":2,"result":"fine"}');
		expect(await second).toBe('fine');
	});

	it('never cancels the handshake of MCP', async () => {
		const { peer, channel, clock } = open();
		const answer = peer.request('initialize', {}, { timeoutMs: 100 });
		clock.advance(100);
		await expect(answer).rejects.toMatchObject({ code: 'timeout' });
		expect(channel.sent).toHaveLength(1);
	});

	it('quotes an unusable response without control characters, truncated', async () => {
		const { peer } = open();
		const answer = peer.request('a');
		peer.message(`{"id":1,\t"error":"\u009b31mred ${'x'.repeat(1000)}"}`);
		const error = await answer.catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({
			data: { line: expect.stringMatching(/^\{"id":1,\\t"error":"\\u009b31mred x+…$/) },
		});
		expect(String(error).length).toBeLessThan(400);
	});

	it('does not take a malformed request of the peer for a response to its own', async () => {
		const { peer } = open();
		const answer = peer.request('a');
		peer.message('{"id":1,"method":"roots/list"}');
		peer.message('[{"id":1,"method":"roots/list"}]');
		peer.message('{"jsonrpc":"2.0","id":1,"result":"fine"}');
		expect(await answer).toBe('fine');
	});

	it('fails only the call whose response was oversize, at once', async () => {
		const { peer } = open();
		const [first, second] = [peer.request('a'), peer.request('b')];
		peer.oversize({ limitBytes: 10, head: '{"jsonrpc":"2.0","id":1,"result":{"x":"yyyy' });
		await expect(first).rejects.toMatchObject({ code: 'bad_frame', data: { limitBytes: 10 } });
		peer.oversize({ limitBytes: 10, head: 'whose was it?' });
		peer.message('{"jsonrpc":"2.0","id":2,"result":"fine"}');
		expect(await second).toBe('fine');
		const third = peer.request('c');
		peer.oversize({ limitBytes: 10, head: '{"id":3,"jsonrpc":"2.0","result":{"x":"yyyy' });
		await expect(third).rejects.toMatchObject({ code: 'bad_frame' });
	});

	it('fails the call whose id is at the end of an oversize response, at once', async () => {
		const { peer } = open();
		const [first, second, third] = [peer.request('a'), peer.request('b'), peer.request('c')];
		const head = '{"result":{"x":"yyyy';
		peer.oversize({ limitBytes: 10, head, tail: 'yy","id":1},"jsonrpc":"2.0","id":2}' });
		await expect(second).rejects.toMatchObject({ code: 'bad_frame', data: { limitBytes: 10 } });
		peer.oversize({ limitBytes: 10, head, tail: 'yy"}, "id": 3, "jsonrpc": "2.0"}' });
		await expect(third).rejects.toMatchObject({ code: 'bad_frame' });
		peer.message('{"jsonrpc":"2.0","id":1,"result":"fine"}');
		expect(await first).toBe('fine');
	});

	it('fails the only call in flight at once when an oversize response begins with its result', async () => {
		const { peer } = open();
		const [first, second] = [peer.request('a'), peer.request('b')];
		const subscription = peer.request('c', {}, { timeoutMs: Number.POSITIVE_INFINITY });
		const head = '{"result":{"x":"yyyy';
		peer.oversize({ limitBytes: 10, head });
		peer.message('{"jsonrpc":"2.0","id":1,"result":"fine"}');
		expect(await first).toBe('fine');
		peer.oversize({ limitBytes: 10, head: '{"jsonrpc":"2.0","method":"notifications/message","params":{' });
		peer.oversize({ limitBytes: 10, head });
		await expect(second).rejects.toMatchObject({ code: 'bad_frame', data: { limitBytes: 10 } });
		peer.message('{"jsonrpc":"2.0","id":3,"result":"ended"}');
		expect(await subscription).toBe('ended');
	});
});

function open(options: PeerOptions = {}): { peer: Peer; channel: FakeChannel; clock: FakeClock } {
	const channel = new FakeChannel();
	const clock = new FakeClock();
	return { peer: new Peer(channel, { clock, ...options }), channel, clock };
}
