/* A link is renewed on a fresh connection after many streams, without losing a call. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Link, ListenOptions } from '../../src/link/link.ts';
import { exchange, openPair, type Pair } from '../support/links.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const RENEW_AFTER = 50;
const MIB = 1024 * 1024;

describe('a QUIC link after many streams', () => {
	it('is renewed on a fresh connection, loses no call, and closes the old ones', async () => {
		const { link, listener } = await openRenewing();
		await callMany(link, 20 * RENEW_AFTER);
		expect(listener.counts.accepted).toBeGreaterThan(5);
		await until('only the last connection is open', () => listener.counts.open === 1);
		await callMany(link, 1);
	});

	it('keeps an old connection for as long as a stream on it is open', async () => {
		const { link, listener } = await openRenewing();
		const received: string[] = [];
		const stream = link.openStream();
		stream.receive({
			frame: (payload) => void received.push(Buffer.from(payload).toString()),
			end: () => void received.push('end'),
			fail: ({ message }) => void received.push(message),
		});
		stream.send(Buffer.from('before'));
		await callMany(link, 3 * RENEW_AFTER);
		await until('the old connection and the newest are open', () => listener.counts.open === 2);
		stream.send(Buffer.from('after'));
		stream.end();
		await until('the stream is over', () => received.includes('end'));
		expect(received).toEqual(['before', 'after', 'end']);
		await until('the old connection is closed', () => listener.counts.open === 1);
	});

	it('keeps the old connection while the peer accepts no other', async () => {
		const { link, listener } = await openRenewing({ maxConnections: 1 });
		await callMany(link, 4 * RENEW_AFTER);
		expect(listener.counts).toMatchObject({ accepted: 1, open: 1 });
	});

	it('is not renewed when `mayRenew` is false', async () => {
		const { link, listener } = await openRenewing();
		link.mayRenew = false;
		await callMany(link, 4 * RENEW_AFTER);
		expect(listener.counts).toMatchObject({ accepted: 1, open: 1 });
	});

	it('leaks no connection when it is closed during a renewal', async () => {
		const { link, listener } = await openRenewing();
		const calls = Array.from({ length: RENEW_AFTER }, () => exchange(link, Buffer.from('call')));
		await link.close();
		expect(await Promise.allSettled(calls)).toHaveLength(RENEW_AFTER);
		expect(await link.closed).toMatchObject({ code: 'closed' });
		await until('nothing is open', () => listener.counts.open === 0);
	});

	it('is closed when its newest connection is', async () => {
		const { link, listener } = await openRenewing();
		await callMany(link, 2 * RENEW_AFTER);
		await until('only the last connection is open', () => listener.counts.open === 1);
		await listener.close();
		expect(await link.closed).toMatchObject({ code: 'closed' });
	});

	it('leaks no memory, in the heap or outside, for a hundred thousand finished calls', async () => {
		const program = fileURLToPath(new URL('../fixtures/many-calls.mjs', import.meta.url));
		const args = ['--expose-gc', program, temporaryFolder(), '40000', '100000'];
		const { stdout } = await promisify(execFile)(process.execPath, args);
		const grown = JSON.parse(stdout);
		expect(grown.heap).toBeLessThan(4 * MIB);
		expect(grown.resident).toBeLessThan(16 * MIB);
	});
});

function openRenewing(options: Partial<ListenOptions> = {}): Promise<Pair> {
	return openPair('quic', options, { renewAfterStreams: RENEW_AFTER });
}

async function callMany(link: Link, count: number): Promise<void> {
	let left = count;
	const payload = Buffer.alloc(100);
	const run = async (): Promise<void> => {
		while (left-- > 0) await exchange(link, payload);
	};
	await Promise.all(Array.from({ length: 16 }, run));
}
