import { describe, expect, it } from 'vitest';
import { CallTable } from '../../src/rpc/call-table.ts';

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
