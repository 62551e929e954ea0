import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyHash, type OfferBody } from '../../src/fabric/advertisements/advertised-tools.ts';
import { RemoteOffers } from '../../src/fabric/advertisements/advertisements.ts';
import type { BucketEntry } from '../../src/fabric/advertisements/bucket.ts';
import { PresencePace } from '../../src/fabric/advertisements/presence.ts';
import { bodyKey, presenceKey } from '../../src/fabric/fabric-names.ts';

const x = body('x');
const xy = body('x', 'y');

describe('the copy of the bucket', () => {
	it('is the same in whatever order changes arrive', () => {
		const changes: BucketEntry[] = [
			entry(bodyKey('one', x.hash), 1, x.text),
			entry(presenceKey('gpu', 'one'), 2, naming(x)),
			entry(bodyKey('two', xy.hash), 3, xy.text),
			entry(presenceKey('gpu', 'two'), 4, naming(xy)),
			entry(presenceKey('gpu', 'one'), 5),
			entry(presenceKey('nas', 'one'), 6, naming(x)),
			entry(presenceKey('nas', 'one'), 7),
		];
		fc.assert(
			fc.property(fc.shuffledSubarray(changes, { minLength: changes.length }), (order) => {
				const offers = new RemoteOffers();
				for (const change of order) offers.apply(change, 0);
				expect(offers.offers).toEqual(['gpu']);
				expect(offers.workers('gpu').map(({ name }) => name)).toEqual(['two']);
				expect(offers.toolsOf('gpu', '').map(({ name }) => name)).toEqual(['x', 'y']);
			}),
		);
	});

	it('drops workers that a complete read does not contain, but not those that came after it', () => {
		const offers = new RemoteOffers();
		offers.apply(entry(presenceKey('a', 'gone'), 3, '{"h":[]}'), 0);
		offers.apply(entry(presenceKey('b', 'late'), 9, '{"h":[]}'), 0);
		offers.keepOnly(new Set([presenceKey('c', 'here')]), 5);
		expect(offers.offers).toEqual(['b']);
	});

	it('drops workers that were silent, before their death is 20 s old', () => {
		const offers = new RemoteOffers();
		offers.apply(entry(presenceKey('a', 'one'), 1, '{"h":[]}'), 0);
		expect(offers.sweep(18_900)).toBe(false);
		expect(offers.sweep(19_100)).toBe(true);
		expect(offers.offers).toEqual([]);
	});

	it('keeps one body for equal workers until the last of them leaves, and none that nobody names', () => {
		const offers = new RemoteOffers();
		offers.apply(entry(bodyKey('one', x.hash), 1, x.text), 0);
		offers.apply(entry(bodyKey('other', xy.hash), 2, xy.text), 0);
		for (const [at, name] of ['one', 'two'].entries())
			offers.apply(entry(presenceKey('gpu', name), at + 3, naming(x)), 0);
		expect(offers.missingBodies()).toEqual([]);
		offers.apply(entry(presenceKey('gpu', 'one'), 5), 0);
		expect(offers.toolsOf('gpu', '').map(({ name }) => name)).toEqual(['x']);
		offers.sweep(19_100);
		expect([x, xy].map(({ hash }) => offers.hasBody(hash))).toEqual([false, false]);
	});

	it('does not take a body whose hash is another one', () => {
		const offers = new RemoteOffers();
		offers.apply(entry(presenceKey('gpu', 'one'), 1, naming(x)), 0);
		expect(offers.apply(entry(bodyKey('one', x.hash), 2, xy.text), 0)).toBe(false);
		expect(offers.missingBodies()).toEqual([{ worker: 'one', hash: x.hash }]);
	});

	it('ignores what is no offer', () => {
		const offers = new RemoteOffers();
		fc.assert(
			fc.property(fc.string(), fc.string(), (key, value) => {
				offers.apply(entry(key, 1, value), 0);
				offers.apply(entry(presenceKey('a', 'one'), 2, value), 0);
				offers.apply(entry(bodyKey('one', bodyHash(value)), 2, value), 0);
				expect(offers.toolsOf('a', '')).toEqual([]);
			}),
		);
		const wrong = '{"tools":[1,null,{"name":""},{"name":"x"},{"name":5,"inputSchema":{}}]}';
		const hash = bodyHash(wrong);
		offers.apply(entry(presenceKey('a', 'one'), 5, JSON.stringify({ h: [hash, '../x', 7] })), 0);
		offers.apply(entry(bodyKey('one', hash), 5, wrong), 0);
		expect(offers.missingBodies()).toEqual([]);
		expect(offers.toolsOf('a', '')).toEqual([]);
	});
});

function body(...names: string[]): OfferBody {
	const text = JSON.stringify({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
	return { hash: bodyHash(text), text };
}

function naming({ hash }: OfferBody): string {
	return JSON.stringify({ h: [hash] });
}

function entry(key: string, revision: number, value?: string): BucketEntry {
	return { key, revision, read: value === undefined ? undefined : () => value };
}

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
