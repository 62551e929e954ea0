import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WORD_LIMIT_CHARACTERS, wordsOf } from '../../../src/search/text/words.ts';

describe('wordsOf', () => {
	it('cuts at everything that is neither letter nor digit', () => {
		expect(wordsOf('Retry, then back-off (v2)!')).toEqual(['retry', 'then', 'back', 'off', 'v2']);
	});

	it('gives the parts of a camelCase name and the whole', () => {
		expect(wordsOf('parseFile')).toEqual(['parse', 'file', 'parsefile']);
	});

	it('keeps c++ and c# apart from c', () => {
		expect(wordsOf('C++, c# and c')).toEqual(['c++', 'c#', 'and', 'c']);
	});

	it('takes accents off, so that either spelling finds the other', () => {
		expect(wordsOf('Café naïve')).toEqual(['cafe', 'naive']);
	});

	it('cuts scripts without spaces into pairs', () => {
		expect(wordsOf('数据库')).toEqual(['数据', '据库']);
	});

	it('passes over encoded data', () => {
		expect(wordsOf(`key ${'A1'.repeat(WORD_LIMIT_CHARACTERS)} end`)).toEqual(['key', 'end']);
	});

	it('gives lower-case words and never more than asked for, for any text', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.nat(5), (text, limit) => {
				const words = wordsOf(text, limit);
				expect(words.length).toBeLessThanOrEqual(limit);
				for (const word of words) expect(word).toBe(word.toLowerCase());
			}),
		);
	});
});
