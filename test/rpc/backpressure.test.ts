import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import type { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';
import { UnreadTotal } from '../../src/rpc/calls/response-budget.ts';
import { Peer, type PeerOptions } from '../../src/rpc/peer.ts';
import { INCOMING_LIMIT } from '../../src/rpc/rpc-limits.ts';
import {
	QUEUED_CHARACTERS,
	STALL_MS,
	WAITING_CHARACTERS,
	WINDOW_CHARACTERS,
} from '../../src/wire/wire-limits.ts';
import { firstOf } from '../support/all-tests.ts';
import { FakeChannel, FakeClock } from '../support/fake-channel.ts';
import { thrownBy } from '../support/programs.ts';
import { nextTurn } from '../support/waiting.ts';

const MEBIBYTE = 1024 * 1024;
const cancelOf = (id: number): string =>
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;

describe('a peer whose output is above the high-water mark', () => {
	it('settles responses on arrival', async () => {
		const { peer, channel } = openCongested();
		const answer = peer.request('b');
		peer.message('{"jsonrpc":"2.0","id":2,"result":"read"}');
		expect(await answer).toBe('read');
		expect(channel.isPaused).toBe(false);
	});

	it('queues new requests and serves them in order once its output is flushed', async () => {
		const { peer, channel, begun } = openCongested();
		for (const id of [1, 2, 3]) peer.message(request(id));
		expect([begun, peer.waitingCount, channel.isPaused]).toEqual([[], 3, false]);
		await catchUp(channel);
		expect([begun, peer.waitingCount]).toEqual([['1', '2', '3'], 0]);
	});

	it('stops serving queued requests when its output is full again', async () => {
		const { peer, channel, begun } = openCongested();
		for (const id of [1, 2, 3]) peer.message(request(id));
		channel.release();
		await Promise.resolve();
		expect(begun).toEqual(['1']);
		await catchUp(channel);
		expect(begun).toEqual(['1', '2', '3']);
	});

	it('never starts a queued request that is canceled, and frees its memory', async () => {
		const { peer, channel, begun } = openCongested();
		for (const id of [1, 2]) peer.message(request(id));
		peer.message(cancelOf(1));
		await catchUp(channel);
		expect(begun).toEqual(['2']);
		expect(channel.sent).not.toContain(expect.stringContaining('"id":1,"result"'));
	});

	it('keeps notifications behind queued requests, but not progress', async () => {
		const notifications: string[] = [];
		const { peer, channel, begun } = openCongested({
			onNotification: (method) => notifications.push(`${method} after ${begun.length}`),
		});
		peer.message(request(1));
		peer.message('{"jsonrpc":"2.0","method":"notifications/x"}');
		peer.message('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9}}');
		await catchUp(channel);
		expect(notifications).toEqual(['notifications/progress after 0', 'notifications/x after 1']);
	});

	it('queues the requests of a batch and settles the responses in it', async () => {
		const { peer, channel } = openCongested({ acceptsBatch: () => true });
		const answer = peer.request('b');
		peer.message(`[${request(1)},{"jsonrpc":"2.0","id":2,"result":"read"},${request(2)},5,${request(3)}]`);
		expect(await answer).toBe('read');
		peer.message(cancelOf(3));
		const before = channel.sent.length;
		await catchUp(channel);
		expect(channel.messages.slice(before)).toMatchObject([
			[{ id: 1 }, { id: 2 }, { id: null, error: { code: -32600 } }],
		]);
	});

	it('queues error responses to invalid messages too', async () => {
		const { peer, channel } = openCongested();
		const before = channel.sent.length;
		for (const line of ['{', '5', '[]', '{"jsonrpc":"2.0","id":8}']) peer.message(line);
		expect([channel.sent.length, peer.waitingCount]).toEqual([before, 4]);
		await catchUp(channel);
		expect(channel.messages.slice(before)).toMatchObject([
			{ error: { code: -32700 } },
			{ error: { code: -32600 } },
			{ error: { code: -32600 } },
			{ id: 8, error: { code: -32600 } },
		]);
	});

	it('serves queued requests after the end of input', async () => {
		const { peer, channel, begun } = openCongested();
		peer.message(request(1));
		peer.end(endOfInput());
		const admitted = peer.admitted();
		await catchUp(channel);
		await admitted;
		expect(begun).toEqual(['1']);
	});

	it('drops queued requests when its output breaks', async () => {
		const { peer, channel, begun } = openCongested();
		peer.message(request(1));
		channel.breakDown();
		await peer.admitted();
		expect([begun, peer.waitingCount]).toEqual([[], 0]);
	});
});

describe('a peer whose client sends requests and reads no responses', () => {
	it('pauses reading when the queue is full, and resumes when half of it is served', async () => {
		const { peer, channel, begun } = openCongested();
		fill(peer);
		expect(channel.isPaused).toBe(true);
		await catchUp(channel);
		expect(channel.isPaused).toBe(false);
		expect(begun).toHaveLength(QUEUED_CHARACTERS / MEBIBYTE);
	});

	it('resumes reading when queued requests are canceled', () => {
		const { peer, channel } = openCongested();
		fill(peer);
		for (let id = 0; id < QUEUED_CHARACTERS / MEBIBYTE; id++) peer.message(cancelOf(id));
		expect(channel.isPaused).toBe(false);
	});

	it('closes the pipe with a timeout error after the stall timeout', () => {
		const ends: unknown[] = [];
		const { peer, channel, clock, begun } = openCongested({ onEnd: (reason) => ends.push(reason) });
		fill(peer);
		clock.advance(STALL_MS - 1);
		expect(ends).toEqual([]);
		clock.advance(1);
		expect(ends).toMatchObject([
			{ code: 'timeout', message: expect.stringContaining(`no response for ${STALL_MS}ms`) },
		]);
		expect([channel.isBroken, peer.waitingCount, begun]).toEqual([true, 0, []]);
	});

	it('restarts the stall timeout when the client reads something', async () => {
		const ends: unknown[] = [];
		const { peer, channel, clock } = openCongested({ onEnd: (reason) => ends.push(reason) });
		fill(peer);
		clock.advance(STALL_MS - 1);
		channel.release();
		await Promise.resolve();
		clock.advance(STALL_MS - 1);
		expect(ends).toEqual([]);
	});

	it('drops queued requests after the stall timeout when the input has ended', () => {
		const { peer, clock } = openCongested();
		peer.message(request(1));
		peer.end(endOfInput());
		clock.advance(STALL_MS);
		expect(peer.waitingCount).toBe(0);
	});
});

describe('the responses of calls in flight while the peer does not read', () => {
	const limitMebibytes = 4;
	const unreadCharacters = limitMebibytes * MEBIBYTE;
	const isDropped = (text: string): boolean => text.includes('its response of') && text.length < 1000;

	it.each(firstOf([true, false]))(
		'are bounded: above the limit, a short error states that the call has run (batch: %s)',
		async (isBatch) => {
			const { peer, channel, finish } = openSlow({ unreadCharacters, acceptsBatch: () => isBatch });
			const count = limitMebibytes + 50;
			const requests = Array.from({ length: count }, (_, id) => request(id));
			if (isBatch) peer.message(`[${requests.join(',')}]`);
			else for (const text of requests) peer.message(text);
			channel.hasRoom = false;
			for (let id = 0; id < count; id++) finish(megabyte);
			await Promise.resolve();
			const answers = isBatch
				? (channel.messages[0] as object[]).map((each) => JSON.stringify(each))
				: channel.sent;
			expect(answers).toHaveLength(count);
			expect(answers.filter((text) => !isDropped(text)).length).toBeLessThanOrEqual(limitMebibytes);
			expect(answers.filter(isDropped).length).toBeLessThan(count);
		},
	);

	it('are sent again once the peer has read', async () => {
		const { peer, channel, finish } = openSlow({ unreadCharacters });
		for (let id = 0; id < limitMebibytes + 2; id++) peer.message(request(id));
		channel.hasRoom = false;
		for (let id = 0; id <= limitMebibytes; id++) finish(megabyte);
		await Promise.resolve();
		await catchUp(channel);
		finish(megabyte);
		await Promise.resolve();
		expect(isDropped(channel.sent.at(-2) ?? '')).toBe(true);
		expect(isDropped(channel.sent.at(-1) ?? '')).toBe(false);
	});

	it('share a total with the other peers of the server, which is freed when a peer reads or breaks', async () => {
		const unreadTotal = new UnreadTotal(unreadCharacters);
		const peers = Array.from({ length: 3 }, () => openSlow({ unreadTotal }));
		for (const { peer, channel, finish } of peers) {
			for (let id = 0; id < 3; id++) peer.message(request(id));
			channel.hasRoom = false;
			for (let id = 0; id < 3; id++) finish(megabyte);
			await Promise.resolve();
		}
		const dropped = peers.map(({ channel }) => channel.sent.filter(isDropped).length);
		// Each peer gets at least one response, whatever its size.
		expect(dropped).toEqual([0, 2, 2]);
		const [first, ...others] = peers;
		if (first) await catchUp(first.channel);
		for (const { channel } of others) channel.breakDown();
		await nextTurn();
		expect(unreadTotal.characters).toBe(0);
	});

	it('take precedence over notifications, which are dropped', async () => {
		const { peer, channel, finish } = openSlow({ unreadCharacters });
		for (let id = 0; id < limitMebibytes; id++) peer.message(request(id));
		channel.hasRoom = false;
		for (let id = 0; id < limitMebibytes; id++) finish(megabyte);
		await Promise.resolve();
		const before = channel.sent.length;
		peer.notify('notifications/message', megabyte);
		expect(channel.sent).toHaveLength(before);
	});
});

describe('a peer with the maximum number of calls in flight', () => {
	it('keeps reading, and starts the next call when one ends', async () => {
		const { peer, channel, begun, finish } = openSlow();
		for (let id = 0; id < INCOMING_LIMIT + 2; id++) peer.message(request(id));
		expect([begun.length, peer.waitingCount, channel.isPaused]).toEqual([INCOMING_LIMIT, 2, false]);
		finish('one');
		await Promise.resolve();
		expect(begun).toHaveLength(INCOMING_LIMIT + 1);
	});

	it('refuses requests beyond the queue, and still handles cancellations', () => {
		const { peer, channel, begun } = openSlow();
		for (let id = 0; id < INCOMING_LIMIT; id++) peer.message(request(id + 1000));
		fill(peer);
		peer.message(request(-1));
		expect(channel.messages).toMatchObject([{ id: -1, error: { code: -32603 } }]);
		peer.message(cancelOf(0));
		peer.cancelIncoming('enough');
		expect([begun.length, channel.isPaused, peer.waitingCount]).toEqual([INCOMING_LIMIT, false, 0]);
	});
});

describe('our own requests', () => {
	it('are queued when the send window is full, and are sent in order as responses arrive', async () => {
		const { peer, channel } = open();
		const answers = Array.from({ length: 40 }, () => peer.request('x', [megabyte]));
		const window = channel.sent.length;
		expect(window).toBe(Math.floor(WINDOW_CHARACTERS / (MEBIBYTE + 200)));
		for (let id = 1; id <= 40; id++) peer.message(`{"jsonrpc":"2.0","id":${id},"result":${id}}`);
		expect(await Promise.all(answers)).toEqual(answers.map((_, at) => at + 1));
		expect(channel.messages.map((message) => (message as { id: number }).id)).toEqual(
			answers.map((_, at) => at + 1),
		);
	});

	it('are sent alone when one is larger than the window', () => {
		const { peer, channel } = open();
		void peer.request('x', ['x'.repeat(WINDOW_CHARACTERS)]);
		expect(channel.sent).toHaveLength(1);
	});

	it('time out while they are queued, and then are neither sent nor canceled', async () => {
		const { peer, channel, clock } = open();
		const first = peer.request('x', ['x'.repeat(WINDOW_CHARACTERS)], { timeoutMs: 1000 });
		const second = peer.request('y', [], { timeoutMs: 500 });
		clock.advance(500);
		expect(await thrownBy(() => second)).toMatchObject({ code: 'timeout' });
		peer.message('{"jsonrpc":"2.0","id":1,"result":1}');
		await first;
		expect(channel.sent).toHaveLength(1);
	});

	it('stay in the window after a timeout until their bytes are flushed', async () => {
		const { peer, channel, clock } = open();
		channel.hasRoom = false;
		const first = peer.request('x', ['x'.repeat(WINDOW_CHARACTERS)], { timeoutMs: 10 });
		const second = peer.request('y');
		clock.advance(10);
		await thrownBy(() => first);
		expect(channel.messages).toMatchObject([{ method: 'x' }, { method: 'notifications/cancelled' }]);
		await catchUp(channel);
		expect(channel.messages[2]).toMatchObject({ method: 'y' });
		peer.end(endOfInput());
		await thrownBy(() => second);
	});

	it('do not starve queued requests of the other side', async () => {
		const { peer, channel, clock, begun } = openCongested();
		void peer.request('x', ['x'.repeat(WINDOW_CHARACTERS)], { timeoutMs: 10 }).catch(() => {});
		const later = peer.request('y');
		peer.message(request(1));
		clock.advance(10);
		channel.release();
		await Promise.resolve();
		expect(begun).toEqual(['1']);
		peer.end(endOfInput());
		await thrownBy(() => later);
	});

	it('are refused when the send queue is full', async () => {
		const { peer } = open();
		const part = 'x'.repeat(WINDOW_CHARACTERS);
		const calls = Array.from({ length: WAITING_CHARACTERS / WINDOW_CHARACTERS + 1 }, () =>
			peer.request('x', [part]),
		);
		expect(await thrownBy(() => calls.at(-1))).toMatchObject({ code: 'bad_input' });
		const others = Promise.allSettled(calls);
		peer.end(endOfInput());
		await others;
	});
});

const megabyte = 'x'.repeat(MEBIBYTE);

interface Opened {
	peer: Peer;
	channel: FakeChannel;
	clock: FakeClock;
	/** The ids of the requests whose handler was called. */
	begun: unknown[];
}

function open(options: PeerOptions = {}): Opened {
	const channel = new FakeChannel();
	const clock = new FakeClock();
	const begun: unknown[] = [];
	const onRequest = ({ id }: IncomingCall): unknown => begun.push(id);
	return {
		peer: new Peer(channel, { role: 'server', clock, onRequest, ...options }),
		channel,
		clock,
		begun,
	};
}

/** A peer that has just said more than the other side takes. */
function openCongested(options: PeerOptions = {}): Opened {
	const opened = open(options);
	opened.channel.hasRoom = false;
	void opened.peer.request('a').catch(() => {});
	return opened;
}

function openSlow(options: PeerOptions = {}): Opened & { finish: (result: unknown) => void } {
	const begun: unknown[] = [];
	const waiting: ((result: unknown) => void)[] = [];
	const onRequest = ({ id }: IncomingCall): unknown => {
		begun.push(id);
		return new Promise((resolve) => waiting.push(resolve));
	};
	return { ...open({ ...options, onRequest }), begun, finish: (result) => waiting.shift()?.(result) };
}

/** Fill the queue with requests of a mebibyte each. */
function fill(peer: Peer): void {
	for (let id = 0; id < QUEUED_CHARACTERS / MEBIBYTE; id++) peer.message(request(id, megabyte));
}

function request(id: number, text = ''): string {
	return `{"jsonrpc":"2.0","id":${id},"method":"a","params":["${text}"]}`;
}

async function catchUp(channel: FakeChannel): Promise<void> {
	channel.catchUp();
	await Promise.resolve();
	await Promise.resolve();
}

function endOfInput(): OrchestraError {
	return new OrchestraError('closed', 'the input ended');
}
