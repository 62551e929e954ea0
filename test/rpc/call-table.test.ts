import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallTable } from '../../src/rpc/calls/call-table.ts';

describe('CallTable', () => {
	it('keeps entries in the order of their arrival until they are taken', () => {
		const table = tableOf(1, 2, 3);
		expect(table.take(2)).toEqual({ id: 2 });
		expect(table.take(2)).toBeUndefined();
		table.set(4, { id: 4 });
		expect([...table.entries()].map(([key, { id }]) => [key, id])).toEqual([
			[1, 1],
			[3, 3],
			[4, 4],
		]);
		expect(table.size).toBe(3);
	});

	it('finds what a map finds, with any keys', () => {
		const key = fc.oneof(
			fc.integer({ min: 0, max: 40 }),
			fc.integer({ min: -2, max: 5000 }),
			fc.constantFrom(1.5, 2 ** 32, 2 ** 53, Number.NaN, -1, '1', 'a', ''),
		);
		const step = fc.record({ key, isSet: fc.boolean() });
		fc.assert(
			fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
				const table = new CallTable<string | number, object>();
				const map = new Map<string | number, object>();
				for (const { key, isSet } of steps) {
					const value = {};
					if (isSet) table.set(key, value);
					else expect(table.take(key)).toBe(map.get(key));
					if (isSet) map.set(key, value);
					else map.delete(key);
					expect(table.get(key)).toBe(map.get(key));
					expect(table.has(key)).toBe(map.has(key));
					expect(table.size).toBe(map.size);
				}
				const seen = new Map<string | number, object>();
				table.forEach((value, key) => seen.set(key, value));
				expect(new Map(table.entries())).toEqual(map);
				expect(seen).toEqual(map);
				expect(new Set(table.values())).toEqual(new Set(map.values()));
			}),
		);
	});

	it('gives numbers in rising order, then texts as they came', () => {
		const table = new CallTable<string | number, object>();
		for (const key of [700, 'b', 3, 'a', 3 + 512, 2]) table.set(key, {});
		expect([...table.entries()].map(([key]) => key)).toEqual([2, 3, 515, 700, 'b', 'a']);
	});

	it('replaces the value of a key in its place', () => {
		const table = tableOf(1, 2);
		table.set(1, { id: 9 });
		expect([...table.values()]).toEqual([{ id: 9 }, { id: 2 }]);
	});

	it('lets a loop remove entries, also those that it has not reached', () => {
		const table = tableOf(1, 2, 3);
		const seen: number[] = [];
		for (const { id } of table.values()) {
			seen.push(id);
			table.take(2);
		}
		expect(seen).toEqual([1, 3]);
		table.forEach((_value, key) => table.take(key === 1 ? 3 : -1) && seen.push(key));
		expect(seen).toEqual([1, 3, 1]);
		table.clear();
		expect(table.has(1)).toBe(false);
		expect(table.size).toBe(0);
	});
});

function tableOf(...ids: number[]): CallTable<number, { id: number }> {
	const table = new CallTable<number, { id: number }>();
	for (const id of ids) table.set(id, { id });
	return table;
}
