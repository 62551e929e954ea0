import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkReceiver } from '../../src/fabric/calls/chunk-receiver.ts';
import {
	CHUNK_BYTES,
	CHUNK_WINDOW,
	HUB_WINDOW,
	RESULT_LIMIT_BYTES,
	RESULT_RETENTION_MS,
	RETAINED_RESULTS_BYTES,
} from '../../src/fabric/fabric-limits.ts';
import { ChunkSender, HubCredit } from '../../src/fabric/worker/chunk-sender.ts';
import { ResultRetention } from '../../src/fabric/worker/result-retention.ts';

describe('a result in chunks', () => {
	it('arrives whole whatever is lost, within its window', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 30 }), fc.infiniteStream(fc.nat(9)), (count, luck) => {
				const bytes = Buffer.alloc(count * CHUNK_BYTES - 7, 'abc');
				const { received, mostInFlight } = transfer(bytes, () => luck.next().value < 2);
				expect(received === bytes.toString('utf8')).toBe(true);
				expect(mostInFlight).toBeLessThanOrEqual(CHUNK_WINDOW);
			}),
			{ numRuns: 20 },
		);
	});

	it('shares the credit of a hub with other results, and all arrive', () => {
		const credit = new HubCredit();
		const sent: { at: number; seq: number }[] = [];
		const bytes = Buffer.alloc(CHUNK_BYTES * 12);
		const senders = Array.from(
			{ length: 20 },
			(_none, at) => new ChunkSender({ bytes, credit, publish: (seq) => sent.push({ at, seq }) }),
		);
		for (const sender of senders) sender.send();
		expect(sent.length).toBe(HUB_WINDOW);
		for (let at = 0; at < sent.length; at++)
			senders[sent[at]?.at ?? 0]?.acknowledge((sent[at]?.seq ?? 0) + 1);
		expect(senders.every(({ isComplete }) => isComplete)).toBe(true);
	});

	it('gives its credit back when it is not wanted any more', () => {
		const credit = new HubCredit();
		let sent = 0;
		const bytes = Buffer.alloc(CHUNK_BYTES * CHUNK_WINDOW);
		const senders = Array.from(
			{ length: HUB_WINDOW / CHUNK_WINDOW + 1 },
			() => new ChunkSender({ bytes, credit, publish: () => sent++ }),
		);
		for (const sender of senders) sender.send();
		expect(sent).toBe(HUB_WINDOW);
		senders[0]?.close();
		expect(sent).toBe(HUB_WINDOW + CHUNK_WINDOW);
	});

	it('is refused when its numbers do not fit together', () => {
		expect(() => new ChunkReceiver(1, RESULT_LIMIT_BYTES + 1)).toThrow(/more than/);
		expect(() => new ChunkReceiver(3, 10)).toThrow(/does not have 3 chunks/);
		expect(() => new ChunkReceiver(0, 0)).toThrow(/does not have 0 chunks/);
		expect(() => new ChunkReceiver(1, 10).take(0, Buffer.alloc(9))).toThrow(/do not add up/);
		expect(() => new ChunkReceiver(1, 10).take(0, Buffer.alloc(11))).toThrow(/do not add up/);
	});
});

describe('stored results', () => {
	it('stay while they are sent, until their hub has been silent for long', () => {
		const retention = new ResultRetention();
		const bytes = Buffer.alloc(CHUNK_BYTES * 2);
		const sender = new ChunkSender({ bytes, credit: new HubCredit(), publish: () => {} });
		const large = { call: 'large', hub: 'laptop', bytes: RETAINED_RESULTS_BYTES, sender, heardAt: 0 };
		retention.addLarge(large);
		retention.addLarge({ ...large, call: 'other' });
		large.heardAt = RESULT_RETENTION_MS;
		retention.sweep(RESULT_RETENTION_MS + 1);
		expect([...retention.unsent].map(({ call }) => call)).toEqual(['large']);
		retention.sweep(2 * RESULT_RETENTION_MS);
		expect(retention.unsentBytes).toBe(0);
	});

	it('are dropped from the oldest when they are too many bytes', () => {
		const retention = new ResultRetention();
		const text = 'x'.repeat(RETAINED_RESULTS_BYTES / 2);
		const short = { hub: 'laptop', finishedAt: 0, text, reason: undefined };
		for (const call of ['first', 'second']) retention.addShort({ ...short, call });
		expect([retention.short('first'), retention.short('second')?.call]).toEqual([undefined, 'second']);
	});
});

/** Send over a line that loses chunks and acknowledgements; when nothing moves, the receiver asks again. */
function transfer(bytes: Buffer, isLost: () => boolean): { received: string; mostInFlight: number } {
	const line: { seq: number; chunk: Uint8Array }[] = [];
	const publish = (seq: number, chunk: Uint8Array): void => void line.push({ seq, chunk });
	const sender = new ChunkSender({ bytes, credit: new HubCredit(), publish });
	const receiver = new ChunkReceiver(sender.count, bytes.length);
	let mostInFlight = 0;
	sender.send();
	while (!receiver.isComplete) {
		mostInFlight = Math.max(mostInFlight, line.length);
		const next = line.shift();
		if (next === undefined) sender.resume(receiver.next);
		else if (!isLost() && receiver.take(next.seq, next.chunk) && !isLost()) sender.acknowledge(receiver.next);
	}
	return { received: receiver.text(), mostInFlight };
}
