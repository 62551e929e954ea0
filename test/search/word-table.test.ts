import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordRow } from '../../src/search/word-row.ts';
import { WordTable } from '../../src/search/word-table.ts';
import { wordsOf } from '../../src/search/words.ts';

describe('WordTable', () => {
	it('reads the same words as the plain way of cutting a text, for any ASCII text', () => {
		const piece = fc.constantFrom(
			'retry',
			'CACHE',
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
			fc.array(piece).map((pieces) => pieces.join('')),
		);
		fc.assert(
			fc.property(text, (sample) => {
				expect(readBack(sample)).toEqual(wordsOf(sample));
			}),
			{ numRuns: 1000 },
		);
	});

	it('gives one number a word, however many there are', () => {
		const words: string[] = [];
		const table = new WordTable((word) => words.push(word));
		const row = new WordRow();
		const text = Array.from({ length: 5000 }, (_, at) => `w${at}`).join(' ');
		table.read(text, row, Number.POSITIVE_INFINITY);
		table.read(text.toUpperCase(), row, Number.POSITIVE_INFINITY);
		expect(words).toHaveLength(5000);
		expect(row.copy().slice(0, 5000)).toEqual(row.copy().slice(5000));
	});

	it('asks again for a word that was forgotten', () => {
		const asked: string[] = [];
		const table = new WordTable((word) => asked.push(word));
		expect([table.number('a'), table.number('b')]).toEqual([1, 2]);
		table.forget('a');
		table.forget('never met');
		expect([table.number('a'), table.number('b')]).toEqual([3, 2]);
	});

	it('leaves a text that is not ASCII to others, wherever the first such character is', () => {
		const table = new WordTable(() => 1);
		for (const text of ['é', 'naïve plan', `${'word '.repeat(1000)}—`, 'half \uD800']) {
			const row = new WordRow();
			expect([table.read(text, row, Number.POSITIVE_INFINITY), row.length]).toEqual([false, 0]);
		}
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
