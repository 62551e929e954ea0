/*
 * Bounds for values that strangers wrote.
 *
 * V8 ends the whole process when a regular expression is compiled close to the end
 * of the stack, and no `try` catches that. So nothing may recurse over a value whose
 * depth a stranger chose: its depth is checked first, by a loop without recursion.
 */
import { OrchestraError } from '../errors.ts';

/** How deep lists and maps of a file or a message may nest before we refuse to work on them. */
export const DEPTH_LIMIT = 64;
/** Most values inside one value, repeated ones counted each time. */
export const VALUE_COUNT_LIMIT = 500_000;

export interface ValueBounds {
	/** Default `DEPTH_LIMIT`. */
	depth?: number;
	/** Default `VALUE_COUNT_LIMIT`. */
	count?: number;
}

/**
 * Throws `bad_input` when `value` nests deeper than allowed or holds more values than allowed. A value that
 * contains itself has no end of depth, so it is refused too.
 */
export function assertBounded(value: unknown, bounds: ValueBounds = {}): void {
	const { depth: depthLimit = DEPTH_LIMIT, count: countLimit = VALUE_COUNT_LIMIT } = bounds;
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

/** Parse JSON and check its depth. Throws `bad_input` for depth, `SyntaxError` for text that is not JSON. */
export function parseBoundedJson(text: string, bounds?: ValueBounds): unknown {
	// The parser of V8 does not recurse, so it may run first.
	const value: unknown = JSON.parse(text);
	assertBounded(value, bounds);
	return value;
}

export function tooDeep(limit: number): OrchestraError {
	return new OrchestraError('bad_input', `nested deeper than ${limit} levels`, {
		hint: 'Write it flatter.',
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
	return typeof value === 'object' && value !== null;
}
