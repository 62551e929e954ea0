import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Concepts } from '../../../src/search/concepts/concepts.ts';
import { Synonyms } from '../../../src/search/concepts/synonyms.ts';
import { describeReasons } from '../../../src/search/index/explain.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';
import { WordVectors } from '../../../src/search/vectors/word-vectors.ts';
import { tableOf } from '../../support/word-vectors.ts';

const list = `
@pay = pay, charge, bill
@pay twice, double payment > idempotent, duplicate
pay late > dunning
slow page > latency
`;

/* Two subjects: what is paid, what is slow. */
const table = tableOf({
	pay: [120, 0, 0, 0],
	purchas: [110, 10, 0, 0],
	slow: [0, 120, 0, 0],
	sluggish: [0, 110, 10, 0],
	pag: [0, 100, 60, 0],
	tree: [0, 0, 0, 120],
});

describe('Concepts', () => {
	it('expands plain words to terms and names the words that lead there', () => {
		const [first, second] = new Concepts(list).expand(words('why was I charged for it twice'));
		expect(first).toMatchObject({ form: 'idempotent', text: 'charged twice' });
		expect(second).toMatchObject({ form: 'duplicate', text: 'charged twice' });
		expect(first?.weight).toBeGreaterThan(0);
		expect(first?.weight).toBeLessThanOrEqual(1);
	});

	it('finds a line by cosine similarity, and names the most similar words', () => {
		const concepts = new Concepts(list, new WordVectors(table));
		expect(concepts.expand(words('the tree is sluggish'))[0]).toMatchObject({
			form: 'latency',
			text: 'sluggish',
		});
		expect(concepts.expand(words('tree'))).toEqual([]);
	});

	it('gives a higher weight to a term of several lines', () => {
		const agreed = new Concepts('slow page > latency, cache\nslow site > latency, budget');
		const terms = agreed.expand(words('slow page on a slow site'));
		expect(terms[0]?.form).toBe('latency');
		expect(terms[0]?.weight).toBeGreaterThan(terms[1]?.weight ?? 1);
	});

	it('returns no terms for other words or for an empty query', () => {
		expect(new Concepts(list).expand(words('a walk in the woods'))).toEqual([]);
		expect(new Concepts(list).expand([])).toEqual([]);
		expect(new Concepts('').expand(words('slow page'))).toEqual([]);
	});

	it('gives weights from 0 to 1, the highest first, for any query', () => {
		const concepts = new Concepts(list, new WordVectors(table));
		const word = fc.constantFrom('pay', 'twice', 'slow', 'page', 'purchase', 'late', 'the', 'tree', 'double');
		fc.assert(
			fc.property(fc.array(word), (question) => {
				const weights = concepts.expand(question).map(({ weight }) => weight);
				expect(weights).toEqual(weights.toSorted((a, b) => b - a));
				for (const weight of weights) expect(weight > 0 && weight <= 1).toBe(true);
			}),
		);
	});
});

describe('SearchIndex with concepts', () => {
	it('finds a document by an expansion term, and names the reason', () => {
		const [hit, ...others] = indexOf({ a: 'Idempotent calls', b: 'Bread' }).search('charged me twice').hits;
		expect(others).toEqual([]);
		expect(hit).toMatchObject({ id: 'a' });
		expect(hit?.why.map(({ kind }) => kind)).not.toContain('meaning');
		const [dunning] = indexOf({ a: 'Dunning', b: 'Bread' }).search('they pay late').hits;
		expect(dunning?.why).toEqual([
			{ word: 'pay late', matched: 'dunning', kind: 'concept', fields: ['title'] },
		]);
		expect(describeReasons(dunning?.why ?? [])).toBe('"pay late" may mean dunning in title');
	});

	it('ranks the words of the query above expansion terms', () => {
		const index = indexOf({ a: 'Dunning', b: 'Pay late' });
		expect(index.search('pay late').hits.map(({ id }) => id)).toEqual(['b', 'a']);
	});

	it('counts each document once', () => {
		expect(indexOf({ a: 'idempotent duplicate pay', b: 'duplicate' }).search('pay twice').total).toBe(2);
	});

	it('does not depend on earlier queries', () => {
		const index = indexOf({ a: 'Dunning', b: 'Duplicate', c: 'Latency' });
		const before = index.search('pay late');
		index.search('double payment on a slow page');
		expect(index.search('pay late')).toEqual(before);
	});
});

function words(question: string): string[] {
	return question.toLowerCase().split(' ');
}

function indexOf(titles: Readonly<Record<string, string>>): SearchIndex {
	const index = new SearchIndex({ title: { weight: 1, typicalWords: 4 } });
	for (const [id, title] of Object.entries(titles)) index.add({ id, fields: { title } });
	index.useConcepts(new Concepts(list));
	index.useSynonyms(new Synonyms('twice > duplicate'));
	return index;
}
