/* What must hold for any collection, with the concepts and vectors of this package. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fragmentFields } from '../../../src/library/files/fragment.ts';
import { readConcepts } from '../../../src/library/files/word-list-files.ts';
import { readWordVectors } from '../../../src/library/files/word-vectors-file.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';
import { isCommonWord } from '../../../src/search/text/common-words.ts';
import { stopWords } from '../../../src/search/text/stop-words.ts';

const vectors = readWordVectors();
const concepts = readConcepts(undefined, vectors);
const subjects =
	'queue retry memory thread cache garden bread plague tenant async capacity lock server timeout water pollen'.split(
		' ',
	);
const names = ['zorbium', 'quillfish', 'marzipan', 'obelisk', 'gherkin'];
const fillers = [...stopWords, 'problem', 'quickly', 'works', 'everything'].filter(
	(word) => stopWords.has(word) || isCommonWord(word),
);

describe('a rare word of the query in a title', () => {
	it('never ranks below documents without it, with any common words around it', () => {
		fc.assert(
			fc.property(collection(), fc.constantFrom(...names), question(), (documents, name, around) => {
				const index = indexOf([...documents, { title: `Notes on ${name}`, body: 'Short.' }]);
				const { hits } = index.search([...around.slice(0, 4), name, ...around.slice(4)].join(' '));
				expect(hits[0]?.id).toBe(`d${documents.length}`);
			}),
			{ numRuns: 200 },
		);
	});

	it('is found when it is mistyped, and not split into two words', () => {
		const index = indexOf([
			{ title: 'Hypertension', body: 'Measure it.' },
			{ title: 'Hype and tenson', body: 'Two words that a slip could be cut into: hyper tenson.' },
		]);
		expect(index.search('hypertenson').hits[0]?.id).toBe('d0');
	});
});

describe('concepts', () => {
	it('are never triggered by stop words', () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...stopWords), { maxLength: 8 }), (words) => {
				expect(concepts.expand(words)).toEqual([]);
			}),
			{ numRuns: 500 },
		);
	});
});

function collection(): fc.Arbitrary<Array<{ title: string; body: string }>> {
	const text = fc.array(fc.constantFrom(...subjects, ...fillers), { minLength: 3, maxLength: 12 });
	const document = fc.record({ title: text, body: text });
	return fc
		.array(document, { minLength: 5, maxLength: 40 })
		.map((list) => list.map(({ title, body }) => ({ title: title.join(' '), body: body.join(' ') })));
}

function question(): fc.Arbitrary<string[]> {
	return fc.array(fc.constantFrom(...fillers), { maxLength: 8 });
}

function indexOf(documents: ReadonlyArray<{ title: string; body: string }>): SearchIndex {
	const index = new SearchIndex(fragmentFields);
	for (const [at, fields] of documents.entries()) index.add({ id: `d${at}`, fields });
	index.useVectors(vectors);
	index.useConcepts(concepts);
	return index;
}
