import { expect, it } from 'vitest';
import { BoundedMap } from '../../src/rpc/bounded-map.ts';

it('drops the entry that was set longest ago, also when it was not the first', () => {
	const map = new BoundedMap<string, number>(2);
	map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
	expect([...map]).toEqual([
		['a', 3],
		['c', 4],
	]);
});
