/* Counting tokens: by a tokenizer that is passed in, or by the usual four characters a token. */
import { CHARACTERS_PER_TOKEN } from './limits.ts';

/** Gives the number of tokens of a text. */
export type CountTokens = (text: string) => number;

/** The estimate: one token for each four characters begun. */
export function estimateTokens(text: string): number {
	return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
