/* The rows of calls, addresses of views, and the words that differ. */
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallRow } from '../../../src/dashboard/api/api-calls.ts';
import { type CallApi } from '../../../src/dashboard/page/call/call-run.ts';
import { PageRuns } from '../../../src/dashboard/page/call/page-runs.ts';
import type { ApiClient, Query } from '../../../src/dashboard/page/live/api-client.ts';
import { CallList } from '../../../src/dashboard/page/live/call-list.ts';
import { CallRows } from '../../../src/dashboard/page/live/call-rows.ts';
import { linesAfter } from '../../../src/dashboard/page/live/log-lines.ts';
import { parseRoute, routeHref } from '../../../src/dashboard/page/live/route.ts';
import { wordDiff } from '../../../src/sequence-diff.ts';
import { until } from '../../support/waiting.ts';

const row = (number: number, ms: number | null = null): CallRow => ({
	number,
	at: number,
	client: '',
	backend: '',
	method: '',
	name: '',
	outcome: 'ok',
	ms,
});

describe('the rows of calls', () => {
	it('are newest first, from events and from pages', () => {
		const rows = new CallRows(1_000);
		rows.append([row(5), row(4)]);
		expect(rows.take(row(6))).toBe(true);
		expect(rows.take(row(7))).toBe(true);
		rows.append([row(3), row(-1)]);
		expect(numbersOf(rows)).toEqual([7, 6, 5, 4, 3, -1]);
	});

	it('are replaced by a row with the same number', () => {
		const rows = new CallRows(1_000);
		rows.append([row(5), row(3)]);
		rows.take(row(9));
		expect([rows.take(row(3, 7)), rows.take(row(9, 8))]).toEqual([false, false]);
		expect([rows.at(0)?.ms, rows.at(2)?.ms]).toEqual([8, 7]);
	});

	it('stay in order and without repetition, whatever comes', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 50 })), (numbers) => {
				const rows = new CallRows(1_000);
				rows.append([row(20), row(10)]);
				for (const number of numbers) rows.take(row(number));
				const found = numbersOf(rows);
				expect(found).toEqual([...new Set(found)].toSorted((one, other) => other - one));
			}),
		);
	});
});

describe('the output of a server', () => {
	const line = (at: number, text: string) => ({ at, stream: 'stderr' as const, text });

	it('has the lines once that come both fetched and live, also in one millisecond', () => {
		const fetched = [line(1, 'a'), line(2, 'b'), line(2, 'c')];
		const live = [line(1, 'a'), line(2, 'b'), line(2, 'c'), line(2, 'd'), line(3, 'b')];
		expect(linesAfter(fetched, live)).toEqual([line(2, 'd'), line(3, 'b')]);
	});

	it('takes all when nothing was fetched', () => {
		expect(linesAfter([], [line(1, 'a')])).toEqual([line(1, 'a')]);
	});
});

describe('the list of calls', () => {
	it('keeps no more rows than the hub keeps calls, however many come', async () => {
		const { list } = await loadedList([]);
		for (let number = 1; number <= 200_000; number += 100)
			list.take(
				Array.from({ length: 100 }, (_, at) => row(number + at)),
				0,
			);
		expect(list.matched.value).toBe(100_000);
		expect([list.at(0)?.number, list.at(99_999)?.number]).toEqual([200_000, 100_001]);
		expect(list.indexOf(150_000)).toBe(50_000);
		expect(list.at(100_000)).toBeUndefined();
	});

	it('stays as it is below the top, counts the new calls, and shows them at the top', async () => {
		const { list, hub } = await loadedList([row(3), { ...row(2), outcome: 'running' }, row(1)]);
		list.follow(false);
		list.take([row(2, 9), row(4)], 0);
		list.take([row(900)], 500);
		expect([list.at(0)?.number, list.at(1)?.ms, list.matched.value]).toEqual([3, 9, 3]);
		expect(list.waiting.value).toEqual({ count: 897, isExact: true });
		hub.rows = [row(900), row(899), row(3)];
		list.follow(true);
		await until('the list is loaded again', () => list.at(0)?.number === 900);
		expect(list.waiting.value.count).toBe(0);
	});

	it('loads what the reader sees again after events were dropped, also when the number of calls is the same', async () => {
		const older = Array.from({ length: 1_000 }, (_, at) => row(1_000 - at));
		const { list, hub } = await loadedList(older);
		await list.want(800);
		expect(list.at(799)?.number).toBe(201);
		hub.rows = older.map(({ number }) => row(number + 5_000));
		list.take([row(6_000)], 400);
		await until('it is loaded again', () => list.at(799)?.number === 5_201);
		expect(list.matched.value).toBe(1_000);
	});

	it('asks for the minutes before now, not for those before the filter was set', async () => {
		const { list, hub } = await loadedList([row(1)], 5);
		const [first] = hub.sinces;
		await until('time passes', () => Date.now() > Number(first) + 5 * 60_000 + 5);
		await list.reload();
		expect(hub.sinces[1]).toBeGreaterThan(Number(first));
	});
});

describe('the calls of the page', () => {
	it('are three at a time, so that connections are left for the page itself', async () => {
		const runs = new PageRuns(endlessCalls);
		const started = ['a', 'b', 'c'].map((key) => runs.start(runs.run(key), '/api/call'));
		const fourth = runs.run('d');
		await runs.start(fourth, '/api/call');
		expect([fourth.status.value, fourth.error.value?.code]).toEqual(['failed', 'busy']);
		runs.run('a').cancel();
		await started[0];
		const again = runs.start(fourth, '/api/call');
		expect(fourth.isRunning).toBe(true);
		for (const key of ['b', 'c', 'd']) runs.run(key).cancel();
		await Promise.all([...started, again]);
		expect(fourth.status.value).toBe('canceled');
	});

	it('are retained while they run, and the last ones after their end', async () => {
		const runs = new PageRuns(endlessCalls);
		const running = runs.run('running');
		const started = runs.start(running, '/api/call');
		const idle = runs.run('idle');
		for (let other = 0; other < 50; other++) runs.run(`other ${other}`);
		expect([runs.run('running') === running, runs.run('idle') === idle]).toEqual([true, false]);
		running.cancel();
		await started;
	});
});

/** Calls that go on until they are canceled. */
const endlessCalls: CallApi = {
	stream: async function* (_path, _body, signal) {
		await once(signal, 'abort');
		signal.throwIfAborted();
		yield* []; // no message
	},
	post: () => Promise.reject(new Error('nothing is asked')),
};

describe('the address of a view', () => {
	it('is read back as it was made, with any name', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (id, value) => {
				expect(parseRoute(routeHref('tools', id, { q: value }))).toEqual({
					view: 'tools',
					id,
					query: { q: value },
				});
			}),
		);
	});

	it('leads to the overview when nobody knows it', () => {
		for (const hash of ['', '#', '#/nothing', '#/%', '#//x']) expect(parseRoute(hash).view).toBe('overview');
	});
});

describe('the words that differ', () => {
	it('are removed and added between those that stay', () => {
		expect(wordDiff('Create a new issue.', 'Create any issue.')).toEqual([
			{ sign: ' ', text: 'Create ' },
			{ sign: '-', text: 'a new' },
			{ sign: '+', text: 'any' },
			{ sign: ' ', text: ' issue.' },
		]);
	});

	it('give back both texts, whatever they are', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (before, after) => {
				const parts = wordDiff(before, after);
				const without = (sign: string): string =>
					parts
						.filter((part) => part.sign !== sign)
						.map(({ text }) => text)
						.join('');
				expect([without('+'), without('-')]).toEqual([before, after]);
			}),
		);
	});

	it('are found in bounded time and space in very long texts', () => {
		const parts = wordDiff('a b '.repeat(50_000), 'b a '.repeat(50_000));
		expect(parts.length).toBeLessThan(5);
	});
});

/** A list with these calls in the hub. */
async function loadedList(rows: readonly CallRow[], minutes = 0) {
	const hub = { rows, sinces: [] as unknown[] };
	const api: Pick<ApiClient, 'get'> = {
		get: async <T>(_path: string, query?: Query) => {
			const { before, limit, since } = query ?? {};
			hub.sinces.push(since);
			const from = hub.rows.filter(({ number }) => before === undefined || number < Number(before));
			const page = from.slice(0, Number(limit));
			const next = from.length > page.length ? page.at(-1)?.number : null;
			const { length } = hub.rows;
			return { rows: page, next, matched: length, total: length } as T;
		},
	};
	const list = new CallList(api, { tool: '', client: '', backend: '', outcome: '', minutes });
	onTestFinished(() => list.close());
	await list.want(1);
	return { list, hub };
}

function numbersOf(rows: CallRows): number[] {
	return Array.from({ length: rows.length }, (_, at) => rows.at(at)?.number ?? 0);
}
