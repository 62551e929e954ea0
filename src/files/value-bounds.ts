/*
 * Limits for untrusted values.
 *
 * V8 aborts the process when a regular expression is compiled near the end of the
 * stack, and no `try` catches that. So no code may recurse over an untrusted value
 * before its depth is checked, by a loop without recursion.
 */
import { NESTING_DEPTH } from '../core-limits.ts';
import { OrchestraError } from '../errors.ts';
import { VALUE_COUNT_LIMIT } from './files-limits.ts';

export interface ValueBounds {
	/** Default `NESTING_DEPTH`. */
	depth?: number;
	/** Default `VALUE_COUNT_LIMIT`. */
	count?: number;
}

/** Throws `bad_input` when `value` is nested too deep, has too many values, or contains itself. */
export function assertBounded(value: unknown, bounds: ValueBounds = {}): void {
	const { depth: depthLimit = NESTING_DEPTH, count: countLimit = VALUE_COUNT_LIMIT } = bounds;
	let level: object[] = isContainer(value) ? [value] : [];
	let count = 0;
	for (let depth = 1; level.length > 0; depth++) {
		if (depth > depthLimit) throw tooDeep(depthLimit);
		const below: object[] = [];
		for (const container of level) {
			for (const inner of Object.values(container)) {
				if (++count > countLimit) throw tooMany(countLimit);
				if (isContainer(inner)) below.push(inner);
			}
		}
		level = below;
	}
}

/** True when lists and maps in `value` are nested deeper than `limit` levels. It recurses, to this limit: at most 1,000. */
export function isDeeperThan(value: unknown, limit: number): boolean {
	if (!isContainer(value)) return false;
	if (limit <= 0) return true;
	for (const inner of Array.isArray(value) ? value : Object.values(value)) {
		if (isDeeperThan(inner, limit - 1)) return true;
	}
	return false;
}

/** Parse JSON and check its depth. Throws `bad_input` for depth, `SyntaxError` for text that is not JSON. */
export function parseBoundedJson(text: string, bounds?: ValueBounds): unknown {
	// `JSON.parse` of V8 does not recurse, so it may run first.
	const value: unknown = JSON.parse(text);
	assertBounded(value, bounds);
	return value;
}

export function tooDeep(limit: number): OrchestraError {
	return new OrchestraError('bad_input', `nested deeper than ${limit} levels`, {
		hint: 'Reduce the nesting.',
		data: { limit },
	});
}

function tooMany(limit: number): OrchestraError {
	return new OrchestraError('bad_input', `holds more than ${limit} values`, {
		hint: 'Make it smaller.',
		data: { limit },
	});
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
