/* The rows of calls, addresses of views, and the words that differ. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallRow } from '../../../src/dashboard/api-calls.ts';
import { CallRows } from '../../../src/dashboard/page/live/call-rows.ts';
import { parseRoute, routeHref } from '../../../src/dashboard/page/live/route.ts';
import { diffWords } from '../../../src/dashboard/page/text/diff-words.ts';

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
		const rows = new CallRows();
		rows.append([row(5), row(4)]);
		expect(rows.take(row(6))).toBe(true);
		expect(rows.take(row(7))).toBe(true);
		rows.append([row(3), row(-1)]);
		expect(numbersOf(rows)).toEqual([7, 6, 5, 4, 3, -1]);
	});

	it('are replaced by a row with the same number', () => {
		const rows = new CallRows();
		rows.append([row(5), row(3)]);
		rows.take(row(9));
		expect([rows.take(row(3, 7)), rows.take(row(9, 8))]).toEqual([false, false]);
		expect([rows.at(0)?.ms, rows.at(2)?.ms]).toEqual([8, 7]);
	});

	it('stay in order and without repetition, whatever comes', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 50 })), (numbers) => {
				const rows = new CallRows();
				rows.append([row(20), row(10)]);
				for (const number of numbers) rows.take(row(number));
				const found = numbersOf(rows);
				expect(found).toEqual([...new Set(found)].toSorted((one, other) => other - one));
			}),
		);
	});
});

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
		expect(diffWords('Create a new issue.', 'Create any issue.')).toEqual([
			{ kind: 'same', text: 'Create ' },
			{ kind: 'removed', text: 'a new' },
			{ kind: 'added', text: 'any' },
			{ kind: 'same', text: ' issue.' },
		]);
	});

	it('give back both texts, whatever they are', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (before, after) => {
				const parts = diffWords(before, after);
				const without = (kind: string): string =>
					parts
						.filter((part) => part.kind !== kind)
						.map(({ text }) => text)
						.join('');
				expect([without('added'), without('removed')]).toEqual([before, after]);
			}),
		);
	});

	it('are found in bounded time and space in very long texts', () => {
		const parts = diffWords('a b '.repeat(50_000), 'b a '.repeat(50_000));
		expect(parts.length).toBeLessThan(5);
	});
});

function numbersOf(rows: CallRows): number[] {
	return Array.from({ length: rows.length }, (_, at) => rows.at(at)?.number ?? 0);
}
