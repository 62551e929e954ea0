/* The numbers of the overview: flows, tools, time and latency, from the rows that are retained. */
import { describe, expect, it } from 'vitest';
import type { CallOutcome } from '../../src/dashboard/api/api-calls.ts';
import { callOverview } from '../../src/dashboard/calls/call-overview.ts';
import { CallRing } from '../../src/dashboard/calls/call-ring.ts';

const NOW = 1_000_000;

describe('the overview of the calls', () => {
	it('sums the calls of each client to each source, the most used first', async () => {
		const ring = ringOf([
			['claude', 'files', 'read', 'ok', 5],
			['claude', 'files', 'read', 'failed', 5],
			['claude', 'files', 'read', 'ok', 9],
			['claude', 'git', 'log', 'ok', 9],
			['cursor', 'files', 'read', 'canceled', 5],
			['cursor', 'files', 'read', 'error', 5],
		]);
		expect((await callOverview(ring, {}, NOW)).flows).toEqual([
			{ client: 'claude', backend: 'files', count: 3, errors: 1 },
			{ client: 'cursor', backend: 'files', count: 2, errors: 1 },
			{ client: 'claude', backend: 'git', count: 1, errors: 0 },
		]);
	});

	it('filters by the whole name of a client and by source, but never the flows', async () => {
		const ring = ringOf([
			['claude', 'files', 'read', 'ok', 5],
			['claude-code', 'files', 'read', 'ok', 5],
			['claude', 'git', 'log', 'ok', 5],
		]);
		const found = await callOverview(ring, { client: 'claude', backend: 'files' }, NOW);
		expect(found.all.count).toBe(1);
		expect(found.busiest.map(({ name }) => name)).toEqual(['read']);
		expect(found.flows).toHaveLength(3);
	});

	it('ranks tools by calls and by their time, with percentiles to about 12 %', async () => {
		const quick = Array.from({ length: 98 }, (): Row => ['c', 'b', 'quick', 'ok', 10]);
		const ring = ringOf([...quick, ['c', 'b', 'quick', 'ok', 500], ['c', 'b', 'slow', 'ok', 900]]);
		const { busiest, slowest, all } = await callOverview(ring, {}, NOW);
		expect(busiest.map(({ name }) => name)).toEqual(['quick', 'slow']);
		expect(slowest.map(({ name }) => name)).toEqual(['slow', 'quick']);
		expect(busiest[0]?.p50).toBeGreaterThan(8.8);
		expect(busiest[0]?.p50).toBeLessThan(11.2);
		expect(all).toMatchObject({ count: 100, errors: 0, max: 900 });
		expect(all.p99).toBeGreaterThan(440);
	});

	it('has a histogram whose bars hold every call, without empty ends', async () => {
		const ring = ringOf([
			['c', 'b', 'n', 'ok', 0.2],
			['c', 'b', 'n', 'ok', 3],
			['c', 'b', 'n', 'ok', 40],
		]);
		const { histogram } = await callOverview(ring, {}, NOW);
		expect(histogram.reduce((sum, { count }) => sum + count, 0)).toBe(3);
		expect([histogram[0]?.count, histogram.at(-1)?.count]).toEqual([1, 1]);
	});
});

type Row = [client: string, backend: string, name: string, outcome: CallOutcome, ms: number];

function ringOf(rows: readonly Row[]): CallRing {
	const ring = new CallRing(1000);
	for (const [client, backend, name, outcome, ms] of rows) {
		const number = ring.begin({ at: NOW - 1000, client, backend, method: 'tools/call', name });
		ring.end(number, { outcome, ms });
	}
	return ring;
}
