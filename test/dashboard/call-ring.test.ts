import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallRing, type RowFilter } from '../../src/dashboard/calls/call-ring.ts';
import { latencyChart } from '../../src/dashboard/calls/latency-chart.ts';
import { MinuteCounts } from '../../src/dashboard/calls/minute-counts.ts';
import { StringPool } from '../../src/dashboard/calls/string-pool.ts';

const call = { at: 1, client: 'c', backend: 'b', method: 'tools/call', name: 'n' };

describe('CallRing', () => {
	it('keeps the newest calls, whatever was added, and pages through them without gaps', () => {
		const added = fc.record({ name: fc.constantFrom('a', 'b', 'longer'), isEnded: fc.boolean() });
		fc.assert(
			fc.property(fc.array(added, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (calls, limit) => {
				const ring = new CallRing(10);
				const numbers = calls.map(({ name, isEnded }) => {
					const number = ring.begin({ ...call, name });
					if (isEnded) ring.end(number, { outcome: 'error', ms: 2, error: `e-${name}` });
					return number;
				});
				const paged: number[] = [];
				for (let before: number | null | undefined; before !== null; ) {
					const page = ring.rows({}, { before: before ?? undefined, limit });
					paged.push(...page.rows.map(({ number }) => number));
					expect(page.matched).toBe(ring.size);
					before = page.next;
				}
				expect(paged).toEqual(numbers.slice(-10).reverse());
				for (const [at, number] of numbers.entries()) {
					const isKept = numbers.length - at <= 10;
					expect(ring.row(number)?.name).toBe(isKept ? calls[at]?.name : undefined);
				}
			}),
		);
	});

	it('ends a call that is not retained any more without touching the one in its place', () => {
		const ring = new CallRing(1);
		const first = ring.begin(call);
		const second = ring.begin({ ...call, name: 'second' });
		ring.end(first, { outcome: 'error', ms: 9 });
		expect(ring.row(second)).toMatchObject({ name: 'second', outcome: 'running', ms: null });
	});

	it.each<[RowFilter, string[]]>([
		[{ tool: 'READ' }, ['read_file', 'files__read']],
		[{ tool: 'files*ad' }, ['files__read']],
		[{ outcome: 'failures' }, ['files__read']],
		[{ outcome: 'running' }, ['write']],
		[{ outcome: 'nonsense' }, []],
		[{ backend: 'x' }, []],
		[{ since: 2 }, ['write']],
	])('finds %j', (filter, names) => {
		const ring = new CallRing(10);
		ring.end(ring.begin({ ...call, name: 'files__read' }), { outcome: 'failed', ms: 1 });
		ring.end(ring.begin({ ...call, name: 'read_file' }), { outcome: 'ok', ms: 1 });
		ring.begin({ ...call, name: 'write', at: 5 });
		const { rows } = ring.rows(filter, { before: undefined, limit: 10 });
		expect(rows.map(({ name }) => name)).toEqual(names);
	});
});

describe('StringPool', () => {
	it('reuses the number of a string that nobody uses any more', () => {
		const texts = new StringPool();
		const [a, b] = [texts.add('a'), texts.add('b')];
		expect(texts.add('a')).toBe(a);
		texts.release(a);
		expect(texts.text(a)).toBe('a');
		texts.release(a);
		expect(texts.add('c')).toBe(a);
		expect([texts.text(a), texts.text(b)]).toEqual(['c', 'b']);
	});

	it('cuts long strings and replaces secrets', () => {
		const texts = new StringPool();
		expect(texts.text(texts.add('x'.repeat(1000)))).toHaveLength(301);
		expect(texts.text(texts.add('Authorization: Bearer abcdefghijklmnopqrstuvwxyz123456'))).toContain('•••');
	});
});

describe('latencyChart', () => {
	it('has percentiles that are near the real ones, and every call in a bucket', () => {
		const durations = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 200 });
		fc.assert(
			fc.property(durations, (all) => {
				const ring = new CallRing(1000);
				const now = 1_000_000_000;
				for (const ms of all) ring.end(ring.begin({ ...call, at: now - 10 }), { outcome: 'ok', ms });
				const { buckets } = latencyChart(ring, {}, now);
				expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
				const { p50, p95, max } = buckets.find(({ count }) => count > 0) ?? {};
				const sorted = all.toSorted((a, b) => a - b);
				for (const [given, part] of [
					[p50, 0.5],
					[p95, 0.95],
				] as const) {
					const real = sorted[Math.ceil(all.length * part) - 1] ?? 0;
					expect(Math.abs((given ?? -1) - real)).toBeLessThanOrEqual(real * 0.13 + 1);
				}
				expect(max).toBe(sorted.at(-1));
			}),
		);
	});

	it('covers all calls with at most 60 buckets', () => {
		const ring = new CallRing(1000);
		const now = Date.now();
		for (let hour = 0; hour < 100; hour++)
			ring.end(ring.begin({ ...call, at: now - hour * 3_600_000 }), { outcome: 'ok', ms: 1 });
		const { buckets } = latencyChart(ring, {}, now);
		expect(buckets.length).toBeLessThanOrEqual(60);
		expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(100);
		expect(latencyChart(new CallRing(10), {}, now).buckets).toMatchObject([{ count: 0, p50: null }]);
	});
});

describe('MinuteCounts', () => {
	it('moves with the time and forgets what is older than half an hour', () => {
		let now = 0;
		const counts = new MinuteCounts(() => now);
		counts.add('b', true);
		counts.add('b', false);
		now = 2 * 60_000;
		counts.add('b', false);
		expect(counts.of('b').callsPerMinute.slice(-3)).toEqual([2, 0, 1]);
		expect(counts.of('b').errorRate).toBeCloseTo(1 / 3, 2);
		now = 31 * 60_000;
		expect(counts.of('b').callsPerMinute[0]).toBe(1);
		now = 40 * 60_000;
		expect(counts.of('b')).toEqual({ callsPerMinute: Array.from({ length: 30 }, () => 0), errorRate: 0 });
		expect(counts.of('unknown').callsPerMinute).toHaveLength(30);
	});
});
