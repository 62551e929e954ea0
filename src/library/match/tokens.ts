/* Counting tokens: by a tokenizer that is passed in, or by the usual four characters a token. */
import { CHARACTERS_PER_TOKEN } from '../files/library-limits.ts';

/** Returns the number of tokens of a text. */
export type CountTokens = (text: string) => number;

/** The estimate: one token for each four characters begun. */
export function estimateTokens(text: string): number {
	return estimateTokensOf(text.length);
}

/** The same for a text of this length. */
export function estimateTokensOf(characters: number): number {
	return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Returns as much of `text` as fits when `layout` is put around it, cut at the end of a word. At the least an empty text. */
export function cutToFit(
	text: string,
	maxTokens: number,
	count: CountTokens,
	layout: (part: string) => string = (part) => part,
): string {
	let low = 0;
	let high = text.length;
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (count(layout(wholeWords(text, middle))) <= maxTokens) low = middle;
		else high = middle - 1;
	}
	return layout(wholeWords(text, low));
}

/** The first `length` characters, cut back to the end of a word. */
function wholeWords(text: string, length: number): string {
	if (length >= text.length) return text;
	const cut = text.slice(0, length);
	return cut.replace(/\S{1,40}$/, '').trimEnd();
}
