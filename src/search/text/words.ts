/*
 * The tokenizer: text to words, in reading order.
 *
 * Letters and digits of any script form a word. `parseFile` yields parse, file and
 * parsefile, because users search for any of them. Scripts without spaces between words
 * are split into bigrams, which needs no dictionary.
 */
import { WORD_LIMIT_CHARACTERS } from '../search-limits.ts';

const BEYOND_ASCII = /[^\p{ASCII}]/u;
const ASCII_WORD = /[A-Za-z0-9]+(?:[+#]{1,2}(?![A-Za-z0-9+#]))?/g;
const ANY_WORD = /[\p{L}\p{N}]+(?:[+#]{1,2}(?![\p{L}\p{N}+#]))?/gu;
const MARKS = /\p{M}+/gu;
const HUMP = /[a-z][A-Z]/;
const HUMPS = /[A-Z]*[a-z0-9+#]+|[A-Z0-9+#]+/g;
/** Scripts without spaces between words. */
export const UNSPACED: RegExp = /[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]/;

/** The words of `text`, lower case, accents removed, at most `limit` of them. */
export function wordsOf(text: string, limit: number = Number.POSITIVE_INFINITY): string[] {
	const found = !BEYOND_ASCII.test(text) ? text.match(ASCII_WORD) : withoutMarks(text).match(ANY_WORD);
	const words: string[] = [];
	for (const word of found ?? []) {
		if (words.length >= limit) break;
		if (word.length <= WORD_LIMIT_CHARACTERS) pushWord(words, word);
	}
	return words.slice(0, limit);
}

/** A text as words are: small letters without accents. */
export function plainLetters(text: string): string {
	return withoutMarks(text).toLowerCase();
}

function withoutMarks(text: string): string {
	return text.normalize('NFKD').replace(MARKS, '').normalize('NFC');
}

function pushWord(words: string[], word: string): void {
	if (HUMP.test(word)) {
		const parts = word.match(HUMPS) ?? [];
		for (const part of parts) words.push(part.toLowerCase());
		if (parts.length > 1) words.push(word.toLowerCase());
	} else if (UNSPACED.test(word)) {
		words.push(...pairsOf(word.toLowerCase()));
	} else {
		words.push(word.toLowerCase());
	}
}

function pairsOf(word: string): string[] {
	const characters = Array.from(word);
	if (characters.length < 3) return [word];
	return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}
