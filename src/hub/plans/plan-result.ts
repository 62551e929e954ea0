/* What the client of a plan reads: its result, or why it failed and what it did before, which is not undone. */
import { OrchestraError } from '../../errors.ts';
import type { CallToolResult } from '../../protocol/mcp-types.ts';
import type { PlanApproval } from '../../trust/call-gate.ts';
import type { EndLine, StoredPlan } from './plan-record.ts';
import { answersOf, sentCalls, unknownCalls } from './plan-record.ts';
import type { PlanDone, PlanEnd } from './plan-run.ts';

const PLAN_META = 'orchestra/plan';
/** Most calls that are named. */
const NAMED_CALLS = 10;

export function endResult(id: string, end: PlanEnd): CallToolResult {
	const { isOk, text, log, leftOut, calls } = end;
	if (!isOk) return failedResult(id, `The plan failed: ${text}`, end);
	const value: unknown = JSON.parse(text);
	const strings = [typeof value === 'string' ? value : text, ...logText(log, leftOut)];
	return {
		content: strings.map((each) => ({ type: 'text', text: each })),
		_meta: { [PLAN_META]: { id, calls: calls.length } },
	};
}

/** A plan that ended before it was requested again. */
export function storedResult(plan: StoredPlan, { end, text }: EndLine): CallToolResult {
	const calls = answersOf(plan);
	const done = { log: [], leftOut: 0, calls, sent: sentCalls(plan), unknown: unknownNames(plan) };
	return endResult(plan.head.id, { isOk: end === 'completed', text, ...done });
}

/** A plan that could not go on. */
export function stoppedResult(id: string, error: unknown, done: PlanDone): CallToolResult {
	const { code, message, hint } = OrchestraError.from(error);
	const what = code === 'closed' || code === 'io' ? 'The plan stopped' : 'The plan failed';
	return failedResult(id, `${what}: ${message}${hint === undefined ? '' : `. ${hint}`}`, done);
}

export function refusalOf({ outcome }: PlanApproval): string {
	const why = {
		allowed: '',
		denied: 'its user denied it',
		expired: 'nobody approved it in time; mctl approve lists what waits',
		full: 'too many calls wait for approval; mctl approve lists them',
	}[outcome];
	return `The plan was not run: ${why}.`;
}

function unknownNames(plan: StoredPlan): string[] {
	return unknownCalls(plan).map(({ name }) => name);
}

function failedResult(
	id: string,
	text: string,
	{ log, leftOut, calls, sent, unknown }: PlanDone,
): CallToolResult {
	const made = calls.flatMap(({ number, name, isOk }) =>
		sent.has(number) ? [`${name}${isOk ? '' : ' (failed)'}`] : [],
	);
	const before =
		made.length === 0
			? 'It made no calls.'
			: `Calls that it made, which are not undone: ${made.length}; the last: ${made.slice(-NAMED_CALLS).join(', ')}.`;
	const open =
		unknown.length === 0
			? ''
			: ` Calls whose outcome is unknown: ${unknown.length}: ${unknown.slice(-NAMED_CALLS).join(', ')}.`;
	const strings = [`${text}\n${before}${open}`, ...logText(log, leftOut)];
	return {
		content: strings.map((each) => ({ type: 'text', text: each })),
		isError: true,
		_meta: { [PLAN_META]: { id, calls: calls.length } },
	};
}

function logText(log: readonly string[], leftOut: number): string[] {
	if (log.length === 0 && leftOut === 0) return [];
	const more = leftOut === 0 ? '' : `\n(${leftOut} more characters)`;
	return [`Log:\n${log.join('\n')}${more}`];
}
