import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WORD_LIMIT_CHARACTERS } from '../../../src/search/search-limits.ts';
import { wordsOf } from '../../../src/search/text/words.ts';

describe('wordsOf', () => {
	it('splits at everything that is neither letter nor digit', () => {
		expect(wordsOf('Retry, then back-off (v2)!')).toEqual(['retry', 'then', 'back', 'off', 'v2']);
	});

	it('returns the parts of a camelCase name and the whole', () => {
		expect(wordsOf('parseFile')).toEqual(['parse', 'file', 'parsefile']);
	});

	it('keeps c++ and c# apart from c', () => {
		expect(wordsOf('C++, c# and c')).toEqual(['c++', 'c#', 'and', 'c']);
	});

	it('removes accents, so that each spelling finds the other', () => {
		expect(wordsOf('Café naïve')).toEqual(['cafe', 'naive']);
	});

	it('splits scripts without spaces into bigrams', () => {
		expect(wordsOf('数据库')).toEqual(['数据', '据库']);
	});

	it('ignores encoded data', () => {
		expect(wordsOf(`key ${'A1'.repeat(WORD_LIMIT_CHARACTERS)} end`)).toEqual(['key', 'end']);
	});

	it('returns lower-case words up to the limit, for any text', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.nat(5), (text, limit) => {
				const words = wordsOf(text, limit);
				expect(words.length).toBeLessThanOrEqual(limit);
				for (const word of words) expect(word).toBe(word.toLowerCase());
			}),
		);
	});
});
