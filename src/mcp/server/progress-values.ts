/* The rules of MCP for progress: values rise, and a token is a string or an integer. */
import { JsonText } from '../../wire/json-text.ts';

/** The least difference between two progress values. */
const SMALLEST_STEP = 1e-6;

/** The value to send after `last`: a value that does not rise becomes the last one plus a small step. */
export function risingProgress(last: number, value: number): number {
	return value > last ? value : last + Math.max(SMALLEST_STEP, Math.abs(last) * 2 * Number.EPSILON);
}

/** Other progress tokens are ignored. */
export function isProgressToken(token: unknown): boolean {
	if (token instanceof JsonText) return /^-?\d+$/.test(token.text);
	return typeof token === 'string' || Number.isInteger(token);
}
