import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordRow } from '../../../src/search/index/word-row.ts';
import { WordTable } from '../../../src/search/index/word-table.ts';
import { wordsOf } from '../../../src/search/text/words.ts';

describe('WordTable', () => {
	it('reads the same words as wordsOf, for any text that is mostly ASCII', () => {
		const piece = fc.constantFrom(
			'retry',
			'CACHE',
			'naïve',
			'É',
			'e\u0301',
			'\u0301',
			'\u00A0',
			'—',
			'’',
			'…',
			'\u2060',
			'\u2070',
			'½',
			'＋',
			'漢字かな',
			'\u{1F680}',
			'\u{1D400}',
			'\uD800',
			'ﬁ',
			'Cache',
			'parseFile',
			'HTTPServer2Go',
			'c++',
			'c#',
			'a+b',
			'x+++',
			'f#g',
			'42',
			' ',
			'-',
			'\n',
			'.',
			'long'.repeat(20),
		);
		const text = fc.oneof(
			fc.string({ unit: 'binary-ascii' }),
			fc.string({ unit: 'binary' }),
			fc.array(piece).map((pieces) => pieces.join('')),
		);
		fc.assert(
			fc.property(text, (sample) => {
				const padded = `${sample}${' '.repeat(40 * sample.length)}`;
				expect(readBack(padded)).toEqual(wordsOf(padded));
			}),
			{ numRuns: 1000 },
		);
	});

	it('gives each word one number, for any number of words', () => {
		const words: string[] = [];
		const table = new WordTable((word) => words.push(word));
		const row = new WordRow();
		const text = Array.from({ length: 5000 }, (_, at) => `w${at}`).join(' ');
		table.read(text, row, Number.POSITIVE_INFINITY);
		table.read(text.toUpperCase(), row, Number.POSITIVE_INFINITY);
		expect(words).toHaveLength(5000);
		expect(row.copy().slice(0, 5000)).toEqual(row.copy().slice(5000));
	});

	it('looks up a removed word again', () => {
		const asked: string[] = [];
		const table = new WordTable((word) => asked.push(word));
		expect([table.number('a'), table.number('b')]).toEqual([1, 2]);
		table.forget('a');
		table.forget('never met');
		expect([table.number('a'), table.number('b')]).toEqual([3, 2]);
	});

	it('refuses a text in another script', () => {
		const row = new WordRow();
		const table = new WordTable(() => 1);
		expect([table.read('повторить запрос', row, Number.POSITIVE_INFINITY), row.length]).toEqual([false, 0]);
	});

	it('stops at the limit', () => {
		const row = new WordRow();
		new WordTable(() => 1).read('a b c d', row, 2);
		expect(row.length).toBe(2);
	});
});

function readBack(text: string): string[] {
	const words = [''];
	const table = new WordTable((word) => words.push(word) - 1);
	const row = new WordRow();
	table.read(text, row, Number.POSITIVE_INFINITY);
	return Array.from(row.copy(), (number) => words[number] ?? '');
}
