/* A query about a stored result, as the tool `look` takes it, and its answer. */

import { OrchestraError } from '../../../errors.ts';
import {
	CONTEXT_LINES,
	LOOK_LINES,
	PATTERN_CHARACTERS,
	SELECT_CHARACTERS,
	SELECT_LEVELS,
} from '../result-limits.ts';

export const lookOps = ['head', 'tail', 'range', 'grep', 'select', 'count', 'distinct'] as const;
export type LookOp = (typeof lookOps)[number];

export interface LookRequest {
	readonly op: LookOp;
	/** Lines or records of `head` and `tail`. */
	readonly lines: number;
	/** The first and the last line or record of `range`, from 1. */
	readonly from: number;
	readonly to: number;
	/** A text, ignoring case, or `/…/`: a regular expression. */
	readonly pattern: string | undefined;
	/** Lines around a match. */
	readonly context: number;
	/** An expression of JMESPath. */
	readonly select: string | undefined;
}

export interface LookAnswer {
	/** The content that the query selects, within the budget. */
	readonly text: string;
	/** Its kind, and its share of the whole. */
	readonly about: string;
}

/** Read and check the arguments. Throws `bad_input` with what is wrong. */
export function readLookRequest(input: Readonly<Record<string, unknown>>): LookRequest {
	const op = lookOps.find((each) => each === input['op']);
	if (op === undefined) throw wrong(`op must be one of ${lookOps.join(', ')}`);
	const pattern = textOf(input, 'pattern', PATTERN_CHARACTERS);
	const select = textOf(input, 'select', SELECT_CHARACTERS);
	if (op === 'grep' && pattern === undefined) throw wrong('grep needs a pattern');
	if (op === 'select' && select === undefined) throw wrong('select needs an expression in "select"');
	if (op === 'count' && pattern !== undefined && select !== undefined)
		throw wrong('count takes a pattern or a select, not both');
	if (select !== undefined) assertShallow(select);
	const from = wholeNumber(input, 'from', 1);
	const to = wholeNumber(input, 'to', from + LOOK_LINES - 1);
	if (to < from) throw wrong(`to is ${to}, which is before ${from}`);
	return {
		op,
		lines: wholeNumber(input, 'lines', LOOK_LINES),
		from: Math.max(1, from),
		to,
		pattern,
		context: Math.min(wholeNumber(input, 'context', 0), CONTEXT_LINES),
		select,
	};
}

function textOf(input: Readonly<Record<string, unknown>>, name: string, limit: number): string | undefined {
	const value = input[name];
	if (value === undefined || value === null || value === '') return undefined;
	if (typeof value !== 'string') throw wrong(`${name} must be a string`);
	if (value.length > limit) throw wrong(`${name} has ${value.length} characters; at most ${limit} are taken`);
	return value;
}

function wholeNumber(input: Readonly<Record<string, unknown>>, name: string, otherwise: number): number {
	const value = input[name] ?? otherwise;
	if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
	throw wrong(`${name} must be a whole number`);
}

/** Brackets only: they are what an expression nests by. */
function assertShallow(select: string): void {
	let level = 0;
	for (const char of select) {
		if ('([{'.includes(char)) level++;
		else if (')]}'.includes(char)) level--;
		if (level > SELECT_LEVELS) throw wrong(`select is nested deeper than ${SELECT_LEVELS} levels`);
	}
}

function wrong(message: string): OrchestraError {
	return new OrchestraError('bad_input', message, {
		hint: 'For example {"handle":"r-…","op":"select","select":"[?state==\'open\'].title"}.',
	});
}
