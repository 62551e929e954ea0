import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import type { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';
import { Peer, type PeerOptions } from '../../src/rpc/peer.ts';
import { methodNotFound, rpcError } from '../../src/rpc/rpc-error.ts';
import { FakeChannel, FakeClock } from '../support/fake-channel.ts';

describe('a peer that serves', () => {
	it('answers a plain value in the same tick', () => {
		const { peer, channel } = open({ onRequest: ({ params }) => params });
		peer.message('{"jsonrpc":"2.0","id":"x","method":"echo","params":[1]}');
		expect(channel.sent).toEqual(['{"jsonrpc":"2.0","id":"x","result":[1]}']);
	});

	it.each([
		['bad JSON', '{"jsonrpc"', -32700, /^parse error: /],
		['no method', '{"jsonrpc":"2.0"}', -32600, /^invalid request: /],
		['a bare value', '"ping"', -32600, /must be an object/],
		['an empty batch', '[]', -32600, /must not be empty/],
		['a batch where there are none', '[{"jsonrpc":"2.0","id":1,"method":"a"}]', -32600, /no batches/],
	])('answers %s with id null', (_, line, code, message) => {
		const { peer, channel } = open();
		peer.message(line);
		expect(channel.messages).toEqual([
			{ jsonrpc: '2.0', id: null, error: { code, message: expect.stringMatching(message) } },
		]);
	});

	it('refuses a request without a method under its id, and sends no response to a notification', () => {
		const { peer, channel } = open();
		peer.message('{"jsonrpc":"2.0","id":1}');
		peer.message('{"jsonrpc":"2.0","id":"b","params":{}}');
		peer.message('{"jsonrpc":"2.0","method":"notifications/initialized","params":null}');
		peer.message('{"jsonrpc":"2.0","id":9,"method":"notifications/foo","params":3}');
		expect(channel.messages).toMatchObject([
			{ id: 1, error: { code: -32600 } },
			{ id: 'b', error: { code: -32600 } },
		]);
	});

	it('never answers a notification, not even one without jsonrpc', () => {
		const { peer, channel } = open();
		peer.message('{"id":77,"method":"notifications/odd"}');
		expect([channel.sent, channel.strays]).toEqual([[], ['{"id":77,"method":"notifications/odd"}']]);
	});

	it('accepts a response without a result to its own request', async () => {
		const { peer, channel } = open();
		const answer = peer.request('roots/list');
		peer.message('{"jsonrpc":"2.0","id":1}');
		expect(await answer).toBe(null);
		expect(channel.messages).toHaveLength(1);
	});

	it('survives an oversize line with an id that is not JSON', () => {
		const { peer, channel } = open({ onRequest: () => 'pong' });
		for (const id of ['007', '"\\x"'])
			peer.oversize({ limitBytes: 10, head: `{"jsonrpc":"2.0","id":${id},"method":"ping","params":{` });
		peer.message('{"jsonrpc":"2.0","id":2,"method":"ping"}');
		expect(channel.messages).toMatchObject([
			{ id: null, error: { code: -32600 } },
			{ id: null, error: { code: -32600 } },
			{ id: 2, result: 'pong' },
		]);
	});

	it('keeps the id of an invalid request when it can be read', () => {
		const { peer, channel } = open();
		peer.message('{"jsonrpc":"2.0","id":5,"method":7}');
		expect(channel.messages[0]).toMatchObject({ id: 5, error: { code: -32600 } });
	});

	it('omits the id for a client that rejects null', () => {
		const { peer, channel } = open({ unknownId: () => undefined });
		peer.message('nonsense');
		expect(channel.messages[0]).not.toHaveProperty('id');
	});

	it.each([
		[
			'an unknown method',
			() => {
				throw methodNotFound('some/unknown');
			},
			-32601,
			'method not found: some/unknown',
		],
		[
			'bad params',
			() => {
				throw new OrchestraError('bad_input', 'missing required parameter: name');
			},
			-32602,
			'missing required parameter: name',
		],
		[
			'our own failure',
			() => {
				throw new Error('boom');
			},
			-32603,
			'boom',
		],
		['a rejection', () => Promise.reject(rpcError(-32021, 'own number')), -32021, 'own number'],
		[
			'a result that is not JSON',
			() => ({ big: 1n }),
			-32603,
			'the result is not JSON: Do not know how to serialize a BigInt',
		],
	])('answers %s with the right number', async (_, onRequest, code, message) => {
		const { peer, channel } = open({ onRequest });
		peer.message('{"jsonrpc":"2.0","id":1,"method":"some/unknown"}');
		await peer.drained(1000);
		expect(channel.messages[0]).toMatchObject({ id: 1, error: { code, message } });
	});

	it('responds with method not found without a handler', () => {
		const { peer, channel } = open({});
		peer.message('{"jsonrpc":"2.0","id":1,"method":"x"}');
		expect(channel.messages[0]).toMatchObject({ error: { code: -32601, message: 'method not found: x' } });
	});

	it('sends the hint of an error and survives data that is not JSON', () => {
		const failures = [
			new OrchestraError('io', 'disk full', { hint: 'Free some space.' }),
			rpcError(-1, 'odd', { big: 1n }),
			rpcError(-2, 'none', () => {}),
		];
		const { peer, channel } = open({
			onRequest: () => {
				throw failures.shift();
			},
		});
		for (const id of [1, 2, 3]) peer.message(`{"jsonrpc":"2.0","id":${id},"method":"x"}`);
		expect(channel.messages).toMatchObject([
			{ error: { code: -32603, message: 'disk full', data: { code: 'io', hint: 'Free some space.' } } },
			{ error: { code: -1, message: 'odd' } },
			{ error: { code: -2, message: 'none' } },
		]);
	});

	it('never answers a notification, and survives a handler of one that throws', () => {
		const notifications: string[] = [];
		const onNotification = (method: string): void => {
			notifications.push(method);
			throw new Error('bad handler');
		};
		const { peer, channel } = open({ onNotification });
		peer.message('{"jsonrpc":"2.0","method":"anything"}');
		peer.message('{"jsonrpc":"2.0","id":4,"method":"notifications/x"}');
		expect(notifications).toEqual(['anything', 'notifications/x']);
		expect(channel.sent).toEqual([]);
	});

	it('refuses a duplicate id in flight and does not disturb the first', async () => {
		const { peer, channel, finish } = openSlow();
		peer.message('{"jsonrpc":"2.0","id":1,"method":"slow"}');
		peer.message('{"jsonrpc":"2.0","id":1,"method":"slow"}');
		expect(channel.messages).toMatchObject([
			{ id: 1, error: { code: -32600, message: 'id 1 is already in flight' } },
		]);
		finish('done');
		await peer.drained(1000);
		expect(channel.messages[1]).toEqual({ jsonrpc: '2.0', id: 1, result: 'done' });
	});

	it('treats "1" and 1 as two calls, and accepts an id again after its response', async () => {
		const { peer, channel, finish } = openSlow();
		peer.message('{"jsonrpc":"2.0","id":1,"method":"slow"}');
		peer.message('{"jsonrpc":"2.0","id":"1","method":"slow"}');
		expect(peer.incomingCount).toBe(2);
		finish('a');
		finish('b');
		await peer.drained(1000);
		peer.message('{"jsonrpc":"2.0","id":1,"method":"slow"}');
		expect(channel.sent).toHaveLength(2);
	});

	it('aborts the signal of a canceled call and sends no answer', async () => {
		const { peer, channel, calls, finish } = openSlow();
		peer.message('{"jsonrpc":"2.0","id":1,"method":"slow"}');
		const { signal } = firstOf(calls);
		peer.message('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
		peer.message('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
		peer.message('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}');
		expect(signal.aborted).toBe(true);
		finish('too late');
		await peer.drained(1000);
		expect(channel.sent).toEqual([]);
	});

	it('cancels the one call that a huge id names, to the last digit', async () => {
		const { peer, channel, calls, finish } = openSlow();
		for (const id of ['12345678901234567891', '12345678901234567892'])
			peer.message(`{"jsonrpc":"2.0","id":${id},"method":"slow"}`);
		peer.message(
			'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345678901234567892}}',
		);
		expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, true]);
		finish('a');
		finish('b');
		await peer.drained(1000);
		expect(channel.sent).toEqual(['{"jsonrpc":"2.0","id":12345678901234567891,"result":"a"}']);
	});

	it('aborts a signal that is read after the cancellation, and drops the failure of the call', async () => {
		const { peer, channel, calls, fail } = openSlow();
		peer.message('{"jsonrpc":"2.0","id":"a","method":"slow"}');
		peer.message('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}');
		expect(firstOf(calls).signal.reason).toMatchObject({ code: 'canceled' });
		fail(new Error('gave up'));
		await peer.drained(1000);
		expect(channel.sent).toEqual([]);
	});

	it('drains calls in flight at the end, with a timeout, and cancels the rest', async () => {
		const { peer, channel, clock, calls } = openSlow();
		peer.message('{"jsonrpc":"2.0","id":1,"method":"slow"}');
		const drained = peer.drained(5000);
		clock.advance(5000);
		expect(await drained).toBe(false);
		const { signal } = firstOf(calls);
		peer.cancelIncoming('shutting down');
		expect(signal.reason).toMatchObject({ message: 'shutting down' });
		expect(await peer.drained(5000)).toBe(true);
		expect(channel.sent).toEqual([]);
	});

	it('survives a client that is gone when the response is ready', async () => {
		const { peer, channel, finish } = openSlow();
		peer.message('{"jsonrpc":"2.0","id":1,"method":"slow"}');
		channel.isBroken = true;
		finish('unread');
		expect(await peer.drained(1000)).toBe(true);
	});

	it('answers a request over the limit with -32600 that names the limit, under its id when that can be read', () => {
		const { peer, channel } = open();
		peer.oversize({ limitBytes: 10, head: '{"jsonrpc":"2.0","id":"big","method":"x' });
		peer.oversize({ limitBytes: 10, head: 'xxxxxxxxxxxxxxxxxxx' });
		expect(channel.messages).toEqual([
			{
				jsonrpc: '2.0',
				id: 'big',
				error: { code: -32600, message: 'message is longer than the limit of 10 bytes' },
			},
			{
				jsonrpc: '2.0',
				id: null,
				error: { code: -32600, message: 'message is longer than the limit of 10 bytes' },
			},
		]);
	});
});

describe('a batch', () => {
	it('is answered as one array when all of it is done, notifications aside', async () => {
		const onRequest = ({ method }: IncomingCall): unknown => (method === 'slow' ? Promise.resolve('s') : 'q');
		const { peer, channel } = open({ onRequest, acceptsBatch: () => true });
		const slow = '{"jsonrpc":"2.0","id":1,"method":"slow"}';
		peer.message(`[${slow},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"quick"},5]`);
		expect(channel.sent).toEqual([]);
		await peer.drained(1000);
		expect(channel.messages).toMatchObject([
			[
				{ id: 2, result: 'q' },
				{ id: null, error: { code: -32600 } },
				{ id: 1, result: 's' },
			],
		]);
	});

	it('echoes an id that no double holds, digit by digit', () => {
		const { peer, channel } = open({ onRequest: () => ({}), acceptsBatch: () => true });
		peer.message('[{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}]');
		expect(channel.sent).toEqual(['[{"jsonrpc":"2.0","id":9007199254740993,"result":{}}]']);
	});

	it('of notifications alone gets no answer', () => {
		const { peer, channel } = open({ acceptsBatch: () => true });
		peer.message('[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]');
		expect(channel.sent).toEqual([]);
	});

	it('is answered without a call that never ends, once that is canceled', () => {
		const { peer, channel } = openSlow({ acceptsBatch: () => true });
		const line = (id: number, method: string): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
		peer.message(`[${line(1, 'slow')},${line(1, 'slow')},${line(2, 'slow')}]`);
		peer.message('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
		expect(channel.messages).toEqual([]);
		peer.cancelIncoming('the end');
		expect(channel.messages).toMatchObject([[{ id: 1, error: { code: -32600 } }]]);
	});

	it('omits canceled calls and refuses a duplicate id in it', async () => {
		const { peer, channel, finish } = openSlow({ acceptsBatch: () => true });
		const call = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"slow"}`;
		peer.message(`[${call(1)},${call(2)},${call(2)}]`);
		peer.message('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
		finish('one');
		finish('two');
		await peer.drained(1000);
		expect(channel.messages).toMatchObject([
			[
				{ id: 2, error: { code: -32600 } },
				{ id: 2, result: 'two' },
			],
		]);
	});
});

interface Opened {
	peer: Peer;
	channel: FakeChannel;
	clock: FakeClock;
}

function open(options: PeerOptions = {}): Opened {
	const channel = new FakeChannel();
	const clock = new FakeClock();
	return { peer: new Peer(channel, { role: 'server', clock, ...options }), channel, clock };
}

/** Every call waits until `finish` or `fail` settles the oldest. */
function openSlow(options: PeerOptions = {}): Opened & {
	calls: IncomingCall[];
	finish: (result: unknown) => void;
	fail: (error: Error) => void;
} {
	const calls: IncomingCall[] = [];
	const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
	const onRequest = (call: IncomingCall): unknown => {
		calls.push(call);
		return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
	};
	return {
		...open({ onRequest, ...options }),
		calls,
		finish: (result) => waiting.shift()?.resolve(result),
		fail: (error) => waiting.shift()?.reject(error),
	};
}

function firstOf(calls: IncomingCall[]): IncomingCall {
	const [call] = calls;
	if (call === undefined) throw new Error('no call came');
	return call;
}
