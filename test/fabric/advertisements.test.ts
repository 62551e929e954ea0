import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdvertisementBody, bodyHash } from '../../src/fabric/advertisements/advertisement-bodies.ts';
import { Advertisements } from '../../src/fabric/advertisements/advertisements.ts';
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
				const advertisements = new Advertisements();
				for (const change of order) advertisements.apply(change, 0);
				expect(advertisements.groups).toEqual(['gpu']);
				expect(advertisements.workers('gpu').map(({ name }) => name)).toEqual(['two']);
				expect(advertisements.toolsOf('gpu', '').map(({ name }) => name)).toEqual(['x', 'y']);
			}),
		);
	});

	it('drops workers that a complete read does not contain, but not those that came after it', () => {
		const advertisements = new Advertisements();
		advertisements.apply(entry(presenceKey('a', 'gone'), 3, '{"h":[]}'), 0);
		advertisements.apply(entry(presenceKey('b', 'late'), 9, '{"h":[]}'), 0);
		advertisements.keepOnly(new Set([presenceKey('c', 'here')]), 5);
		expect(advertisements.groups).toEqual(['b']);
	});

	it('drops workers that were silent, before their death is 20 s old', () => {
		const advertisements = new Advertisements();
		advertisements.apply(entry(presenceKey('a', 'one'), 1, '{"h":[]}'), 0);
		expect(advertisements.sweep(18_900)).toBe(false);
		expect(advertisements.sweep(19_100)).toBe(true);
		expect(advertisements.groups).toEqual([]);
	});

	it('stores one body for equal workers until the last of them leaves, and none without a reference', () => {
		const advertisements = new Advertisements();
		advertisements.apply(entry(bodyKey('one', x.hash), 1, x.text), 0);
		advertisements.apply(entry(bodyKey('other', xy.hash), 2, xy.text), 0);
		for (const [at, name] of ['one', 'two'].entries())
			advertisements.apply(entry(presenceKey('gpu', name), at + 3, naming(x)), 0);
		expect(advertisements.missingBodies()).toEqual([]);
		advertisements.apply(entry(presenceKey('gpu', 'one'), 5), 0);
		expect(advertisements.toolsOf('gpu', '').map(({ name }) => name)).toEqual(['x']);
		advertisements.sweep(19_100);
		expect([x, xy].map(({ hash }) => advertisements.hasBody(hash))).toEqual([false, false]);
	});

	it('does not take a body whose hash is another one', () => {
		const advertisements = new Advertisements();
		advertisements.apply(entry(presenceKey('gpu', 'one'), 1, naming(x)), 0);
		expect(advertisements.apply(entry(bodyKey('one', x.hash), 2, xy.text), 0)).toBe(false);
		expect(advertisements.missingBodies()).toEqual([{ worker: 'one', hash: x.hash }]);
	});

	it('ignores what is no advertisement', () => {
		const advertisements = new Advertisements();
		fc.assert(
			fc.property(fc.string(), fc.string(), (key, value) => {
				advertisements.apply(entry(key, 1, value), 0);
				advertisements.apply(entry(presenceKey('a', 'one'), 2, value), 0);
				advertisements.apply(entry(bodyKey('one', bodyHash(value)), 2, value), 0);
				expect(advertisements.toolsOf('a', '')).toEqual([]);
			}),
		);
		const wrong = '{"tools":[1,null,{"name":""},{"name":"x"},{"name":5,"inputSchema":{}}]}';
		const hash = bodyHash(wrong);
		advertisements.apply(entry(presenceKey('a', 'one'), 5, JSON.stringify({ h: [hash, '../x', 7] })), 0);
		advertisements.apply(entry(bodyKey('one', hash), 5, wrong), 0);
		expect(advertisements.missingBodies()).toEqual([]);
		expect(advertisements.toolsOf('a', '')).toEqual([]);
	});
});

function body(...names: string[]): AdvertisementBody {
	const text = JSON.stringify({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
	return { hash: bodyHash(text), text };
}

function naming({ hash }: AdvertisementBody): string {
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
