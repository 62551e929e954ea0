/* A plan made again from its record: no tool is called. */
import { OrchestraError } from '../../errors.ts';
import { Interpreter } from './interpreter.ts';
import { answersOf, endOf, type StoredPlan } from './plan-record.ts';
import { type PlanEnd, PlanRun } from './plan-run.ts';
import { RecordedCalls } from './recorded-calls.ts';

export interface Replayed extends PlanEnd {
	/** Whether it ended as it did in the record; undefined when the record has no end. */
	readonly isSame: boolean | undefined;
	/** JSON of the result in the record, or its error. */
	readonly recorded: string | undefined;
}

/**
 * Run the program of a record, or another one, by the answers of the record. Rejects with `bad_input` or `not_found` where
 * the program makes a call that the record does not have.
 */
export async function replayPlan(
	plan: StoredPlan,
	{ code, signal }: { readonly code?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Replayed> {
	const interpreter = await Interpreter.open(code ?? plan.head.code, { signal });
	const isOther = interpreter.sha256 !== plan.head.sha256;
	const run = new PlanRun({
		interpreter,
		plan: isOther ? { ...plan, lines: [] } : plan,
		live: isOther ? new RecordedCalls(answersOf(plan)) : undefined,
		signal,
	});
	const end = await run.run().finally(() => interpreter.close());
	const before = endOf(plan);
	if (!isOther && before === undefined)
		throw new OrchestraError('bad_input', 'the record of the plan has no end', {
			hint: `Go on with it: mctl plan resume ${plan.head.id.slice(0, 8)}`,
		});
	const isSame = before && before.text === end.text && (before.end === 'completed') === end.isOk;
	return { ...end, isSame, recorded: before?.text };
}
