/* What the client of a plan reads: its result, or why it failed and what it did before, which is not undone. */
import { OrchestraError, withHint } from '../../errors.ts';
import { type CallToolResult, textResult } from '../../protocol/mcp-types.ts';
import type { PlanApproval } from '../../trust/call-gate.ts';
import type { EndLine, StoredPlan } from './plan-record.ts';
import { answersOf, sentCalls, unknownCalls } from './plan-record.ts';
import type { PlanDone, PlanEnd } from './plan-run.ts';

const PLAN_META = 'orchestra/plan';
/** Most calls that are named. */
const NAMED_CALLS = 10;

export function endResult(id: string, end: PlanEnd): CallToolResult {
	const { isOk, text } = end;
	if (!isOk) return failedResult(id, `The plan failed: ${text}`, end);
	const value: unknown = JSON.parse(text);
	return planResult(id, typeof value === 'string' ? value : text, end);
}

/** A plan that ended before it was requested again. */
export function storedResult({ head, lines }: StoredPlan, { end, text }: EndLine): CallToolResult {
	return endResult(head.id, { isOk: end === 'completed', text, log: [], leftOut: 0, lines });
}

/** A plan that could not go on. */
export function stoppedResult(id: string, thrown: unknown, done: PlanDone): CallToolResult {
	const error = OrchestraError.from(thrown);
	const what = error.code === 'closed' || error.code === 'io' ? 'The plan stopped' : 'The plan failed';
	return failedResult(id, `${what}: ${withHint(error)}`, done);
}

export function refusalOf({ outcome }: PlanApproval): string {
	const why = {
		allowed: '',
		denied: 'its user denied it',
		expired: 'no user approved it in time; mctl approve lists what waits',
		full: 'too many calls wait for approval; mctl approve lists them',
	}[outcome];
	return `The plan was not run: ${why}.`;
}

function failedResult(id: string, text: string, done: PlanDone): CallToolResult {
	const sent = sentCalls(done);
	const made = answersOf(done).flatMap(({ number, name, isOk }) =>
		sent.has(number) ? [`${name}${isOk ? '' : ' (failed)'}`] : [],
	);
	const before =
		made.length === 0
			? 'It made no calls.'
			: `Calls that it made, which are not undone: ${made.length}; the last: ${made.slice(-NAMED_CALLS).join(', ')}.`;
	const unknown = unknownCalls(done).map(({ name }) => name);
	const open =
		unknown.length === 0
			? ''
			: ` Calls whose outcome is unknown: ${unknown.length}: ${unknown.slice(-NAMED_CALLS).join(', ')}.`;
	return { ...planResult(id, `${text}\n${before}${open}`, done), isError: true };
}

function planResult(id: string, text: string, done: PlanDone): CallToolResult {
	const { log, leftOut } = done;
	const more = leftOut === 0 ? '' : `\n(${leftOut} more characters)`;
	const logged = log.length === 0 && leftOut === 0 ? [] : [`Log:\n${log.join('\n')}${more}`];
	return { ...textResult(text, ...logged), _meta: { [PLAN_META]: { id, calls: answersOf(done).length } } };
}
