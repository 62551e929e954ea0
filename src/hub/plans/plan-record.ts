/*
 * What is stored of a plan: a head and a line with its input, written before the program starts, and one line for each
 * thing that happened since. A line is on its way to the disk before what it says has effects: a call is sent after its
 * line `sent`, and the program gets an answer after the line of the answer.
 */
import { isObject } from '../../wire/json.ts';
import type { ProcessIdentity } from '../shared/process-identity.ts';
import type { ThreadMessage } from './interpreter.ts';

/** The facts that a plan was started with. */
export interface PlanHead {
	readonly id: string;
	/** Who may see it. */
	readonly principal: string;
	/** The folder of the configuration. */
	readonly root: string;
	/** The name of the client. */
	readonly client: string;
	/** The name of a saved plan. */
	readonly name?: string | undefined;
	readonly code: string;
	/** The hash of `code`. */
	readonly sha256: string;
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	/** The seed of its random numbers. */
	readonly seed: number;
	/** The tools that it may call, as clients name them. */
	readonly tools: readonly string[];
	/** The approval of a user: the version of the policy then, and the tools that claimed to be destructive. */
	readonly approval?: { readonly policyVersion: string; readonly destructive: readonly string[] } | undefined;
	/** The process that runs it. */
	readonly owner: ProcessIdentity;
}

/** The first line. */
export interface InputLine {
	/** JSON. */
	readonly input: string;
}

/** An answer that the program got, or gets next. */
export interface AnswerLine extends ThreadMessage {
	readonly server: string;
	readonly tool: string;
	/** The hash of the JSON of the arguments. */
	readonly sha256: string;
	/** The name that clients use for the tool; undefined when there is none. */
	readonly name?: string | undefined;
	/** Where in the program, `line 2, column 7`. */
	readonly place?: string | undefined;
}

/** A call that was sent to its source. */
export interface SentLine {
	readonly sent: number;
	readonly name: string;
	readonly at: number;
	readonly place?: string | undefined;
}

/** A user said that a call whose outcome is unknown may be made again. */
export interface AgainLine {
	readonly again: number;
}

/** How the plan ended. Without this line it can go on. */
export interface EndLine {
	readonly end: 'completed' | 'failed';
	readonly at: number;
	/** JSON of the result, or the error. */
	readonly text: string;
}

export type PlanLine = InputLine | AnswerLine | SentLine | AgainLine | EndLine;

/** A plan as it is on disk. */
export interface StoredPlan {
	readonly head: PlanHead;
	/** JSON. */
	readonly input: string;
	readonly lines: readonly PlanLine[];
	/** Why its lines cannot be relied on. */
	readonly damage?: string | undefined;
}

/** The answers in the order in which the program got them. */
export function answersOf({ lines }: Pick<StoredPlan, 'lines'>): AnswerLine[] {
	return lines.filter((line) => 'number' in line);
}

export function endOf({ lines }: Pick<StoredPlan, 'lines'>): EndLine | undefined {
	return lines.find((line) => 'end' in line);
}

/** The numbers of the calls that were sent. */
export function sentCalls({ lines }: Pick<StoredPlan, 'lines'>): Set<number> {
	return new Set(lines.flatMap((line) => ('sent' in line ? [line.sent] : [])));
}

/** The calls that were sent and have no answer: it is unknown whether they were made. */
export function unknownCalls({ lines }: Pick<StoredPlan, 'lines'>): SentLine[] {
	const open = new Map<number, SentLine>();
	for (const line of lines) {
		if ('sent' in line) open.set(line.sent, line);
		else if ('number' in line) open.delete(line.number);
		else if ('again' in line) open.delete(line.again);
	}
	return [...open.values()];
}

/** Written by this program, and checked as far as the reader depends on it. */
export function planHeadOf(value: unknown): PlanHead | undefined {
	if (!isObject(value)) return undefined;
	const isHead =
		['id', 'principal', 'root', 'client', 'code', 'sha256'].every(
			(name) => typeof value[name] === 'string',
		) &&
		typeof value['startedAt'] === 'number' &&
		typeof value['seed'] === 'number' &&
		Array.isArray(value['tools']) &&
		isObject(value['owner']);
	return isHead ? (value as unknown as PlanHead) : undefined;
}

/** Undefined for what is no line. */
export function planLineOf(value: unknown): PlanLine | undefined {
	if (!isObject(value)) return undefined;
	const { number, sent, again, end, text } = value;
	const isLine =
		typeof value['input'] === 'string' ||
		typeof again === 'number' ||
		(typeof sent === 'number' && typeof value['name'] === 'string') ||
		(typeof text === 'string' &&
			(end === 'completed' ||
				end === 'failed' ||
				(typeof number === 'number' && typeof value['at'] === 'number')));
	return isLine ? (value as unknown as PlanLine) : undefined;
}
