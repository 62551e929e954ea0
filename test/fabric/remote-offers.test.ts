import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BucketEntry } from '../../src/fabric/bucket.ts';
import { bodyKey, presenceKey } from '../../src/fabric/fabric-names.ts';
import { PresencePace } from '../../src/fabric/presence-pace.ts';
import { RemoteOffers } from '../../src/fabric/remote-offers.ts';

const body = (...names: string[]): string =>
	JSON.stringify({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });

describe('the copy of the bucket', () => {
	it('is the same in whatever order changes arrive', () => {
		const changes: BucketEntry[] = [
			{ key: bodyKey('one', 'aa'), revision: 1, value: body('x') },
			{ key: presenceKey('gpu', 'one'), revision: 2, value: '{"h":["aa"]}' },
			{ key: bodyKey('two', 'bb'), revision: 3, value: body('x', 'y') },
			{ key: presenceKey('gpu', 'two'), revision: 4, value: '{"h":["bb"]}' },
			{ key: presenceKey('gpu', 'one'), revision: 5, value: undefined },
			{ key: presenceKey('nas', 'one'), revision: 6, value: '{"h":["aa"]}' },
			{ key: presenceKey('nas', 'one'), revision: 7, value: undefined },
		];
		fc.assert(
			fc.property(fc.shuffledSubarray(changes, { minLength: changes.length }), (order) => {
				const offers = new RemoteOffers();
				for (const change of order) offers.apply(change, 0);
				expect(offers.offers).toEqual(['gpu']);
				expect(offers.workers('gpu').map(({ name }) => name)).toEqual(['two']);
			}),
		);
	});

	it('drops workers that a complete read does not contain, but not those that came after it', () => {
		const offers = new RemoteOffers();
		offers.apply({ key: presenceKey('a', 'gone'), revision: 3, value: '{"h":[]}' }, 0);
		offers.apply({ key: presenceKey('b', 'late'), revision: 9, value: '{"h":[]}' }, 0);
		offers.keepOnly([{ key: presenceKey('c', 'here'), revision: 5, value: '{"h":[]}' }]);
		expect(offers.offers).toEqual(['b']);
	});

	it('drops workers that were silent, before their death is 20 s old', () => {
		const offers = new RemoteOffers();
		offers.apply({ key: presenceKey('a', 'one'), revision: 1, value: '{"h":[]}' }, 0);
		expect(offers.sweep(18_900)).toBe(false);
		expect(offers.sweep(19_100)).toBe(true);
		expect(offers.offers).toEqual([]);
	});

	it('ignores what is no offer', () => {
		const offers = new RemoteOffers();
		fc.assert(
			fc.property(fc.string(), fc.string(), (key, value) => {
				offers.apply({ key, revision: 1, value }, 0);
				offers.apply({ key: presenceKey('a', 'one'), revision: 2, value }, 0);
				offers.apply({ key: bodyKey('one', 'aa'), revision: 2, value }, 0);
				expect(offers.tools('')).toEqual([]);
			}),
		);
		const wrong = '{"tools":[1,null,{"name":""},{"name":"x"},{"name":5,"inputSchema":{}}]}';
		offers.apply({ key: presenceKey('a', 'one'), revision: 5, value: '{"h":["aa","../x",7]}' }, 0);
		offers.apply({ key: bodyKey('one', 'aa'), revision: 5, value: wrong }, 0);
		expect(offers.tools('')).toEqual([]);
	});
});

describe('the pace of presence', () => {
	it('is halved in a fabric of many workers, and restored in a small one', () => {
		const pace = new PresencePace();
		pace.wrote(1, 0);
		pace.wrote(1001, 5000);
		expect(pace.everyMs).toBe(10_000);
		pace.wrote(2001, 15_000);
		expect(pace.everyMs).toBe(10_000);
		pace.wrote(2101, 25_000);
		expect(pace.everyMs).toBe(5000);
	});
});
