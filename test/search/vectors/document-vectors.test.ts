import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchDocument } from '../../../src/search/document.ts';
import { describeReasons } from '../../../src/search/index/explain.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';
import { WordVectors } from '../../../src/search/vectors/word-vectors.ts';
import { tableOf } from '../../support/word-vectors.ts';

/* Three subjects: what breaks, what is baked, what is built. */
const table = tableOf({
	crash: [120, 0, 5],
	collaps: [110, 10, 0],
	demis: [100, 0, 20],
	cake: [0, 120, 0],
	pastri: [10, 110, 0],
	hous: [0, 5, 120],
	villa: [0, 0, 110],
});

describe('SearchIndex with word vectors', () => {
	it('finds a document that shares no word with the query, and names the reason', () => {
		const [hit] = indexOf({ a: { title: 'Collapse' }, b: { title: 'Pastry' } }).search('crash').hits;
		expect(hit).toMatchObject({
			id: 'a',
			why: [{ word: 'crash', matched: 'collapse', kind: 'meaning', fields: ['title'] }],
		});
		expect(describeReasons(hit?.why ?? [])).toBe('"crash" is near to collapse in title');
	});

	it('returns the same hits after preparation in small steps', () => {
		const documents = { a: { body: 'collapse' }, b: { body: 'villa' }, c: { body: 'demise' } };
		const index = indexOf(documents);
		expect(index.prepare(0)).toBe(false);
		expect(index.prepare(1000)).toBe(true);
		expect(index.prepare(0)).toBe(true);
		expect(index.search('crash')).toEqual(indexOf(documents).search('crash'));
	});

	it('leaves out documents below the similarity floor', () => {
		const { hits, total } = indexOf({ a: { body: 'collapse' }, b: { body: 'villa' } }).search('cake');
		expect([hits, total]).toEqual([[], 0]);
	});

	it('ranks the word itself above similar words', () => {
		const index = indexOf({ a: { body: 'collapse' }, b: { body: 'crash' } });
		expect(idsFor(index, 'crash')).toEqual(['b', 'a']);
		expect(index.search('crash').hits[0]?.why.map(({ kind }) => kind)).toEqual(['word']);
	});

	it('ranks by similarity between documents with the same words', () => {
		const index = indexOf({ a: { body: 'quorum pastry' }, b: { body: 'quorum collapse' } });
		expect(idsFor(index, 'quorum crash')).toEqual(['b', 'a']);
	});

	it('uses the vector of the corrected word for a typo', () => {
		const index = indexOf({ a: { body: 'demise' }, b: { body: 'collapse' }, c: { body: 'cake' } });
		expect(idsFor(index, 'collapze')).toEqual(['b', 'a']);
	});

	it('keeps scores between 0 and 100 and respects the least score and the filter', () => {
		const index = indexOf({ a: { title: 'crash', body: 'crash' }, b: { body: 'collapse' } });
		for (const { score } of index.search('crash').hits) {
			expect(score).toBeGreaterThan(0);
			expect(score).toBeLessThanOrEqual(100);
		}
		expect(index.search('crash', { accept: (id) => id === 'b' }).hits.map(({ id }) => id)).toEqual(['b']);
		expect(index.search('crash', { minScore: 60 }).hits.map(({ id }) => id)).toEqual(['a']);
	});

	it('searches by words only when the table has none of them', () => {
		const index = indexOf({ a: { body: 'quorum' }, b: { body: 'cake' } });
		expect(index.search('quorum')).toEqual(
			plainIndexOf({ a: { body: 'quorum' }, b: { body: 'cake' } }).search('quorum'),
		);
	});

	it('updates after documents are added, replaced and removed', () => {
		const index = indexOf({ a: { body: 'cake' } });
		expect(idsFor(index, 'crash')).toEqual([]);
		index.add({ id: 'b', fields: { body: 'collapse' } });
		expect(idsFor(index, 'crash')).toEqual(['b']);
		index.add({ id: 'b', fields: { body: 'villa' } });
		expect(idsFor(index, 'crash')).toEqual([]);
		index.add({ id: 'a', fields: { body: 'demise' } });
		index.remove('b');
		expect([idsFor(index, 'crash'), idsFor(index, 'house')]).toEqual([['a'], []]);
	});

	it('is the same after adding and removing as if the rest had been added alone', () => {
		const word = fc.constantFrom('crash', 'collapse', 'demise', 'cake', 'pastry', 'house', 'villa', 'quorum');
		const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
		const id = fc.stringMatching(/^[a-f]$/);
		const documents = fc.uniqueArray(fc.record({ id, title: text, body: text }), {
			selector: (document) => document.id,
		});
		fc.assert(
			fc.property(documents, fc.array(id), text, (all, gone, query) => {
				const changed = indexOf({});
				for (const { id: own, ...rest } of all) changed.add({ id: own, fields: rest });
				changed.search(query);
				for (const own of gone) changed.remove(own);
				const alone = indexOf({});
				for (const { id: own, ...rest } of all) if (!gone.includes(own)) alone.add({ id: own, fields: rest });
				expect(changed.search(query)).toEqual(alone.search(query));
				expect(changed.search(query)).toEqual(changed.search(query));
			}),
		);
	});
});

const fields = { title: { weight: 4, typicalWords: 5 }, body: { weight: 1, typicalWords: 50 } };

function plainIndexOf(documents: Record<string, SearchDocument['fields']>): SearchIndex {
	const index = new SearchIndex(fields);
	for (const [id, content] of Object.entries(documents)) index.add({ id, fields: content });
	return index;
}

function indexOf(documents: Record<string, SearchDocument['fields']>): SearchIndex {
	const index = plainIndexOf(documents);
	index.useVectors(new WordVectors(table));
	return index;
}

function idsFor(index: SearchIndex, query: string): string[] {
	return index.search(query).hits.map(({ id }) => id);
}
