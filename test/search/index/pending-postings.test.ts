import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lexicon } from '../../../src/search/index/lexicon.ts';
import { PendingPostings } from '../../../src/search/index/pending-postings.ts';
import { WordRow } from '../../../src/search/index/word-row.ts';

const WORDS = 6;

describe('PendingPostings', () => {
	it('adds every entry to its posting list in the order of the documents, for any order and pauses', () => {
		const document = fc.record({
			numbers: fc.uniqueArray(fc.integer({ min: 1, max: WORDS }), { minLength: 1 }),
			isSettled: fc.boolean(),
		});
		const documents = fc.array(document, { minLength: 1, maxLength: 40 });
		fc.assert(
			fc.property(documents, fc.boolean(), (given, isReversed) => {
				const { lexicon, filing } = emptyFiling();
				const expected = Array.from({ length: WORDS + 1 }, () => new Map<number, number>());
				for (const [at, { numbers, isSettled }] of given.entries()) {
					const slot = isReversed ? given.length - at : at;
					for (const number of numbers) {
						filing.add(number, slot, slot + number / 10);
						expected[number]?.set(slot, slot + number / 10);
					}
					if (isSettled) filing.settle();
				}
				filing.settle();
				const inOrder = expected.map((entries) => [...entries].sort(([a], [b]) => a - b).flat());
				expect(inOrder.map((_, number) => entriesOf(lexicon, number))).toEqual(inOrder);
			}),
		);
	});

	it('can be interrupted between steps, and the next step finishes it', () => {
		const { lexicon, filing } = emptyFiling();
		const count = 70_000;
		for (let slot = 0; slot < count; slot++) filing.add(1, slot, 1);
		let steps = 1;
		while (!filing.settle(() => true)) if (++steps === 3) break;
		filing.add(2, count, 1);
		expect(entriesOf(lexicon, 1)).toHaveLength(2 * count);
		expect(filing.settle()).toBe(true);
		expect(entriesOf(lexicon, 2)).toEqual([count, 1]);
		expect(steps).toBe(3);
	});
});

function emptyFiling(): { lexicon: Lexicon; filing: PendingPostings } {
	const lexicon = new Lexicon();
	const names = Array.from({ length: WORDS }, (_, at) => `w${at}`);
	lexicon.read(names.join(' '), new WordRow(), Number.POSITIVE_INFINITY);
	return { lexicon, filing: new PendingPostings(lexicon) };
}

function entriesOf(lexicon: Lexicon, number: number): number[] {
	const posting = lexicon.byNumber(number);
	return posting ? [...posting.entries.subarray(0, posting.end)] : [];
}
