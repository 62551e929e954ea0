/*
 * The nesting limit of JSON in a message.
 *
 * A Struct needs two or three Protobuf messages per level, and every decoder has a
 * limit: 10,000 messages in Go, 100 by default in most others. A peer that fails in the
 * middle of a frame can only reset the stream, so the sender checks first and only the
 * one call fails.
 */
import { OrchestraError } from '../errors.ts';

/** Deepest nesting of arguments, results, metadata and payloads, in levels. */
export const NESTING_LIMIT = 100;

/** The envelope of a message: the request and the value of its kind. */
const ENVELOPE_LEVELS = 3;

/** For the decoder: messages inside each other, the envelope included. */
export const RECURSION_LIMIT: number = (NESTING_LIMIT + ENVELOPE_LEVELS) * 3;

/** Throws `bad_input` when something in a message is nested too deep. */
export function checkNesting(message: object): void {
	if (isDeeper(message, NESTING_LIMIT + ENVELOPE_LEVELS)) {
		throw new OrchestraError('bad_input', `a value is nested deeper than ${NESTING_LIMIT} levels`, {
			hint: 'Flatten it, or pass the deep part as a string of JSON.',
			data: { code: 'validation_error', limit: NESTING_LIMIT },
		});
	}
}

function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
	if (levels < 0) return true;
	for (const inner of Array.isArray(value) ? value : Object.values(value)) {
		if (isDeeper(inner, levels - 1)) return true;
	}
	return false;
}
