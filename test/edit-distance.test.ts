import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../src/edit-distance.ts';

describe('editDistance', () => {
	it.each([
		['retry', 'retry', 0],
		['retry', 'rety', 1],
		['retry', 'rettry', 1],
		['retry', 'retty', 1],
		['retry', 'rerty', 1],
		['kubernetes', 'kubrnetse', 2],
	])('counts %s to %s as %i', (from, to, distance) => {
		expect(editDistance(from, to, 2)).toBe(distance);
	});

	it('gives one more than the bound for words that are further apart', () => {
		expect(editDistance('retry', 'banana', 1)).toBe(2);
		expect(editDistance('a', 'abcdef', 2)).toBe(3);
	});

	it('is the same in both directions', () => {
		const word = fc.stringMatching(/^[ab]{0,7}$/);
		fc.assert(
			fc.property(word, word, (a, b) => {
				expect(editDistance(a, b, 2)).toBe(editDistance(b, a, 2));
			}),
		);
	});

	it('is never more than the number of edits that were made', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[a-z]{2,9}$/), fc.nat(8), (word, place) => {
				const without = word.slice(0, place) + word.slice(place + 1);
				expect(editDistance(word, without, 2)).toBeLessThanOrEqual(1);
			}),
		);
	});
});
