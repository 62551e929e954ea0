/* Progress notifications: the protocol demands rising values and a token of the client. */
import { ExactNumber } from '../../wire/json-rpc.ts';

/** The least difference between two progress values. */
const SMALLEST_STEP = 1e-6;

/**
 * The params of the progress notification after one with the value `last`, with fields that we do not know. A value
 * that does not rise becomes the last one plus a small step. Undefined when the client wants none.
 */
export function progressAfter(
	last: number,
	params: Readonly<Record<string, unknown>>,
	progressToken: unknown,
): { progress: number; [field: string]: unknown } | undefined {
	const { progress, total, ...rest } = params;
	if (!isToken(progressToken) || typeof progress !== 'number' || !Number.isFinite(progress)) return undefined;
	const least = last + Math.max(SMALLEST_STEP, Math.abs(last) * 2 * Number.EPSILON);
	const finiteTotal = Number.isFinite(total) ? total : undefined;
	return { ...rest, progressToken, progress: progress > last ? progress : least, total: finiteTotal };
}

/** A string or an integer; other progress tokens are ignored. */
export function isToken(token: unknown): boolean {
	if (token instanceof ExactNumber) return /^-?\d+$/.test(token.text);
	return typeof token === 'string' || Number.isInteger(token);
}
