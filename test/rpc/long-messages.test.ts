/* A long message is scanned in slices: others work meanwhile, and the order is kept. */
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import type { PendingCall } from '../../src/rpc/calls/outgoing-calls.ts';
import { Peer, type PeerOptions } from '../../src/rpc/peer.ts';
import { member } from '../../src/wire/message-member.ts';
import type { MessageView } from '../../src/wire/message-view.ts';
import { until } from '../support/waiting.ts';

const LONG = 'x'.repeat(3 * 1024 * 1024);
const request = (id: number, text: string): string =>
	`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a","arguments":{"text":"${text}"}}}`;

describe('a long message', () => {
	it('is handled before those that came after it, and the channel is paused meanwhile', async () => {
		const seen: string[] = [];
		const { peer, steps } = openPeer({ onView: (view) => seen.push(view.source(member.id) ?? '') > 0 });
		for (const message of [request(1, LONG), request(2, 'short'), request(3, LONG), request(4, 'short')])
			peer.message(message);
		expect([seen, steps]).toEqual([[], ['pause']]);
		await until('all requests', () => seen.length === 4);
		expect(seen).toEqual(['1', '2', '3', '4']);
		await until('the channel', () => steps.at(-1) === 'resume');
	});

	it('is parsed when nobody takes its view, or it is not JSON', async () => {
		const { peer, posted } = openPeer({ role: 'server', onView: () => false, onRequest: () => 'parsed' });
		peer.message(request(1, LONG));
		peer.message(`${request(2, LONG)}}`);
		await until('both answers', () => posted.length === 2);
		expect(posted[0]).toBe('{"jsonrpc":"2.0","id":1,"result":"parsed"}');
		expect(posted[1]).toContain('parse error');
	});

	it('that answers a forwarded call arrives although the pipe ended behind it', async () => {
		const { peer } = openPeer({});
		const results: (string | undefined)[] = [];
		const call = forwarded(peer.forwarded.takeId(), (view) => results.push(view.source(member.result)));
		expect(peer.forwarded.forward(call, request(1, 'a'))).toBe(true);
		peer.message(`{"jsonrpc":"2.0","id":1,"result":"${LONG}"}`);
		peer.end(new OrchestraError('closed', 'the server exited'));
		await until('the answer', () => results.length > 0);
		expect(results).toEqual([`"${LONG}"`]);
	});

	it('does not stop other work', async () => {
		const { peer } = openPeer({ onView: () => true });
		let turns = 0;
		const timer = setInterval(() => turns++, 1);
		const dense = `[${'1,'.repeat(4 * 1024 * 1024)}1]`;
		let isTaken = false;
		const other = openPeer({ onView: () => (isTaken = true) });
		peer.message(request(1, 'short'));
		other.peer.message(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"list":${dense}}}`);
		await until('the scan', () => isTaken);
		clearInterval(timer);
		expect(turns).toBeGreaterThan(1);
	});
});

function openPeer(options: PeerOptions): { peer: Peer; steps: string[]; posted: string[] } {
	const steps: string[] = [];
	const posted: string[] = [];
	const peer = new Peer(
		{
			post: (text) => posted.push(text) > 0,
			flushed: () => Promise.resolve(),
			pause: () => void steps.push('pause'),
			resume: () => void steps.push('resume'),
			close: () => Promise.resolve(),
			logStray: () => {},
		},
		options,
	);
	return { peer, steps, posted };
}

function forwarded(id: number, answered: (view: MessageView) => void): PendingCall {
	return {
		id,
		answered,
		method: 'tools/call',
		resolve: () => {},
		reject: () => {},
		cost: 1,
		unsent: undefined,
		timeoutMs: 60_000,
		maxTotalMs: undefined,
		dueAt: 0,
		capAt: 0,
		onProgress: undefined,
		about: undefined,
		keepsText: true,
		tag: undefined,
		work: undefined,
	};
}
