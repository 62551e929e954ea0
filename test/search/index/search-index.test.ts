import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSynonyms } from '../../../src/library/files/word-list-files.ts';
import type { SearchDocument } from '../../../src/search/document.ts';
import { describeReasons } from '../../../src/search/index/explain.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';
import { QUERY_WORD_LIMIT } from '../../../src/search/search-limits.ts';

describe('SearchIndex', () => {
	it('ranks a word in a weightier field higher', () => {
		const index = indexOf({ a: { body: 'retry' }, b: { title: 'retry' }, c: { body: 'other' } });
		expect(idsFor(index, 'retry')).toEqual(['b', 'a']);
	});

	it('weights a rare word higher than a common one', () => {
		const index = indexOf({
			a: { body: 'server timeout' },
			b: { body: 'server quorum' },
			c: { body: 'server' },
			d: { body: 'server timeout' },
		});
		expect(idsFor(index, 'timeout quorum')[0]).toBe('b');
	});

	it('ranks adjacent words above the same words apart', () => {
		const index = indexOf({
			a: { body: 'rate of errors, limit of words' },
			b: { body: 'rate limit of words errors' },
		});
		const [first] = index.search('rate limit').hits;
		expect(first?.id).toBe('b');
		const phrase = { word: 'rate limit', matched: 'rate limit', kind: 'phrase', fields: ['body'] };
		expect(first?.why).toContainEqual({ ...phrase, points: 6 });
		const points = first?.why.map(({ points: own = 0 }) => own) ?? [];
		expect(points.reduce((sum, own) => sum + own)).toBeCloseTo(first?.score ?? 0, 0);
	});

	it('keeps a document whose whole name the query says among the first five', () => {
		const many = Array.from({ length: 30 }, (_, at): [string, { title: string; body: string }] => [
			`d${at}`,
			{ title: `orders status ${at}`, body: 'orders with a status in the shop, by page and by name' },
		]);
		const index = indexOf({ ...Object.fromEntries(many), z: { title: 'count', body: 'numbers' } });
		expect(idsFor(index, 'count orders with a status in the shop').slice(0, 5)).toContain('z');
	});

	it('matches no phrase across two entries of a list', () => {
		const index = indexOf({ a: { title: ['rate', 'limit'] } });
		expect(index.search('rate limit').hits[0]?.why.map(({ kind }) => kind)).toEqual(['word', 'word']);
	});

	it('finds other forms of a word', () => {
		expect(idsFor(indexOf({ a: { body: 'migrating schemas' } }), 'schema migrations')).toEqual(['a']);
	});

	it('matches typos of unknown words, and names the correction', () => {
		const index = indexOf({ a: { title: 'kubernetes' }, b: { title: 'database' } });
		const [hit] = index.search('kuberntes').hits;
		expect(hit).toMatchObject({
			id: 'a',
			why: [{ word: 'kuberntes', matched: 'kubernetes', kind: 'typo', fields: ['title'] }],
		});
		expect(describeReasons(hit?.why ?? [])).toBe('"kuberntes" as kubernetes in title');
	});

	it('matches a prefix of a word', () => {
		const [hit] = indexOf({ a: { body: 'orchestrator' } }).search('orch').hits;
		expect(hit?.why).toMatchObject([{ matched: 'orchestrator', kind: 'prefix' }]);
	});

	it('does not correct a known word', () => {
		const index = indexOf({ a: { body: 'cache' }, b: { body: 'cachet' } });
		expect(idsFor(index, 'cache')).toEqual(['a']);
	});

	it('matches synonyms, below the word itself', () => {
		const index = indexOf({ a: { body: 'database' }, b: { body: 'db' } });
		expect(idsFor(index, 'db')).toEqual(['b', 'a']);
	});

	it('matches an idiom by its synonyms, and names the reason', () => {
		const index = indexOf({ a: { body: 'concurrent writers' }, b: { body: 'one writer' } });
		expect(index.search('two of them at the same time').hits).toMatchObject([
			{ id: 'a', why: [{ word: 'at the same time', matched: 'concurrent', kind: 'related' }] },
		]);
	});

	it('matches compounds written as one word or as two', () => {
		expect(idsFor(indexOf({ a: { body: 'crumple zone' } }), 'crumplezone')).toEqual(['a']);
		expect(idsFor(indexOf({ a: { body: 'crumplezone' } }), 'crumple zone')).toEqual(['a']);
	});

	it('weights a common English word lower than a term with the same IDF', () => {
		const index = indexOf({ a: { body: 'probably' }, b: { body: 'quorum' }, c: { body: 'other' } });
		expect(idsFor(index, 'probably a quorum')).toEqual(['b', 'a']);
	});

	it('ignores stop words', () => {
		const index = indexOf({ a: { body: 'to be or not' }, b: { body: 'retry' } });
		expect(idsFor(index, 'how do I retry')).toEqual(['b']);
		expect(index.search('how do I').hits).toEqual([]);
	});

	it('orders equal scores by id, for any order of adding', () => {
		const ids = ['c', 'a', 'b'];
		const index = new SearchIndex(fields);
		for (const id of ids) index.add({ id, fields: { body: 'equal' } });
		expect(idsFor(index, 'equal')).toEqual(['a', 'b', 'c']);
	});

	it('returns the first by id of many equal scores, also after removals', () => {
		const index = new SearchIndex(fields);
		for (let at = 500; at > 0; at--) index.add({ id: `d${1000 + at}`, fields: { body: 'equal' } });
		index.remove('d1400');
		index.add({ id: 'd0000', fields: { body: 'equal' } });
		expect(index.search('equal', { limit: 2 }).hits.map(({ id }) => id)).toEqual(['d0000', 'd1001']);
	});

	it('scores from 0 to 100 and omits hits below minScore', () => {
		const index = indexOf({
			a: { title: 'retry backoff' },
			b: { body: 'retry '.repeat(3) + 'x '.repeat(300) },
		});
		const [best, worst] = index.search('retry backoff').hits;
		expect(best?.score).toBeGreaterThan(worst?.score ?? 100);
		expect(best?.score).toBeLessThanOrEqual(100);
		expect(index.search('retry backoff', { minScore: best?.score }).hits).toHaveLength(1);
	});

	it('applies the filter of the caller and counts all matches', () => {
		const index = indexOf({ a: { body: 'x1' }, b: { body: 'x1' }, c: { body: 'x1' } });
		const { hits, total } = index.search('x1', { accept: (id) => id !== 'a', limit: 1 });
		expect([hits.map(({ id }) => id), total]).toEqual([['b'], 2]);
	});

	it('replaces a document with the same id', () => {
		const index = indexOf({ a: { body: 'old' } });
		index.add({ id: 'a', fields: { body: 'fresh' } });
		expect([idsFor(index, 'old'), idsFor(index, 'fresh'), index.size]).toEqual([[], ['a'], 1]);
	});

	it('accepts queries of any length and content', () => {
		const index = indexOf({ a: { body: 'alpha beta' } });
		expect(index.search('').hits).toEqual([]);
		expect(
			index.search(Array.from({ length: 9 * QUERY_WORD_LIMIT }, (_, at) => `w${at}`).join(' ')).hits,
		).toEqual([]);
		fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (query) => void index.search(query)));
	});

	it('is the same after adding and removing as if the rest had been added alone', () => {
		const word = fc.constantFrom(
			'retry',
			'retries',
			'cache',
			'caching',
			'queue',
			'server',
			'kubernetes',
			'c++',
			'parseFile',
		);
		const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
		const documents = fc.uniqueArray(
			fc.record({ id: fc.stringMatching(/^[a-h]$/), title: text, body: text }),
			{
				selector: ({ id }) => id,
			},
		);
		fc.assert(
			fc.property(documents, fc.array(fc.stringMatching(/^[a-h]$/)), text, (all, gone, query) => {
				const changed = new SearchIndex(fields);
				for (const { id, ...rest } of all) changed.add({ id, fields: rest });
				for (const id of gone) changed.remove(id);
				const alone = new SearchIndex(fields);
				for (const { id, ...rest } of all) if (!gone.includes(id)) alone.add({ id, fields: rest });
				expect(changed.search(query)).toEqual(alone.search(query));
				expect(changed.size).toBe(alone.size);
			}),
		);
	});

	it('finds every word of a document that was added after a great many others', () => {
		const index = new SearchIndex(fields);
		for (let at = 0; at < 3000; at++)
			index.add({ id: `d${at}`, fields: { body: `common word${at} other${at}` } });
		for (let at = 0; at < 3000; at += 2) index.remove(`d${at}`);
		index.add({ id: 'new', fields: { body: 'word10 common' } });
		expect(idsFor(index, 'word10')).toEqual(['new']);
		expect(idsFor(index, 'other2001')[0]).toBe('d2001');
		expect(index.search('common').total).toBe(1501);
	});
});

const synonyms = readSynonyms();
const fields = { title: { weight: 4, typicalWords: 5 }, body: { weight: 1, typicalWords: 50 } };

function indexOf(documents: Record<string, SearchDocument['fields']>): SearchIndex {
	const index = new SearchIndex(fields);
	index.useSynonyms(synonyms);
	for (const [id, content] of Object.entries(documents)) index.add({ id, fields: content });
	return index;
}

function idsFor(index: SearchIndex, query: string): string[] {
	return index.search(query).hits.map(({ id }) => id);
}
