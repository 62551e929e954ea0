import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { readConceptList } from '../../../src/search/concepts/concept-list.ts';

describe('readConceptList', () => {
	it('reads patterns, alternatives and terms', () => {
		const { terms, lineOf } = readConceptList('charge/bill twice, double payments > idempotent, duplicate\n');
		expect(terms).toEqual([['idempotent', 'duplicate']]);
		expect(lineOf).toEqual([0, 0]);
		expect(stemsOf('charge/bill twice, double payments > idempotent, duplicate')).toEqual([
			[['charg', 'bill'], ['twic']],
			[['doubl'], ['payment']],
		]);
	});

	it('replaces a class by its words', () => {
		expect(stemsOf('@pay = pay, charge\n@pay/refund twice > duplicate')).toEqual([
			[['pay', 'charg', 'refund'], ['twic']],
		]);
	});

	it('represents a slot by its first two words that are no stop words', () => {
		const { leading, stems } = readConceptList('the/charge/bill lost/missing/gone > payment');
		const roots = [...stems.keys()];
		const read = [0, 1].map((slot) => leading.row(slot).map((root) => roots[root]));
		expect(read).toEqual([['charg'], ['lost', 'miss']]);
	});

	it('ignores comments and empty lines', () => {
		expect(readConceptList('# a > b\n\n   \n').terms).toEqual([]);
	});

	it.each([
		['a line without terms', 'slow page', 'is not of the form'],
		['an empty pattern', 'slow page, > latency', 'is not of the form'],
		['two arrows', 'slow > page > latency', 'is not of the form'],
		['other characters', 'naïve page > latency', 'is not of the form'],
		['a class that is not there', '@none page > latency', 'names the class "@none"'],
		['a class twice', '@a = b\n@a = c', 'defines the class "@a" again'],
	])('refuses %s and names the line', (_, text, problem) => {
		expect(() => readConceptList(`# head\n${text}`)).toThrow(problem);
		expect(() => readConceptList(`# head\n${text}`)).toThrow(/^line [23] of the list of concepts/);
	});

	it('parses any text or throws bad_input', () => {
		const word = fc.constantFrom(
			'slow',
			'page',
			'@a',
			'x/y',
			',',
			'>',
			' > ',
			', ',
			' ',
			'\n',
			'@a = b\n',
			'#',
			'é',
		);
		fc.assert(
			fc.property(fc.array(word, { maxLength: 12 }), (words) => {
				try {
					const { terms, lineOf, patterns, slots } = readConceptList(words.join(''));
					for (const line of terms) expect(line.filter((term) => term !== '')).not.toEqual([]);
					expect(new Set(lineOf).size).toBe(terms.length);
					for (const pattern of lineOf.keys()) expect(patterns.row(pattern)).not.toEqual([]);
					for (const slot of patterns.values) expect(slots.row(slot)).not.toEqual([]);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
		);
	});
});

/** The patterns of the first line, each slot as its stems. */
function stemsOf(text: string): unknown {
	const { lineOf, patterns, slots, stems } = readConceptList(text);
	const roots = [...stems.keys()];
	return [...lineOf.keys()]
		.filter((pattern) => lineOf[pattern] === 0)
		.map((pattern) => patterns.row(pattern).map((slot) => slots.row(slot).map((root) => roots[root])));
}
