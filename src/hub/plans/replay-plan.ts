/* A plan made again from its record: no tool is called. */
import { OrchestraError } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import { Interpreter, type ThreadCall } from './interpreter.ts';
import { type AnswerLine, answersOf, endOf, type SentLine, type StoredPlan } from './plan-record.ts';
import { type CallOutcome, type LiveCalls, type PlanEnd, PlanRun, writtenOf } from './plan-run.ts';

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

/** Answers from the record of another run, for a program that changed since: by tool and arguments, each once, in their order. */
class RecordedCalls implements LiveCalls {
	readonly #answers: AnswerLine[];

	constructor(answers: readonly AnswerLine[]) {
		this.#answers = [...answers];
	}

	async make(call: ThreadCall): Promise<CallOutcome> {
		const hash = sha256(call.json);
		const at = this.#answers.findIndex(
			({ server, tool, sha256: known }) => server === call.server && tool === call.tool && known === hash,
		);
		const [found] = at === -1 ? [] : this.#answers.splice(at, 1);
		if (found) return found;
		const isOther = this.#answers.some(({ server, tool }) => server === call.server && tool === call.tool);
		const why = isOther ? 'with these arguments' : 'of this tool';
		throw new OrchestraError('not_found', `the record has no further call ${why}: ${writtenOf(call)}`, {
			hint: 'Run the plan again to record it: mctl plan run.',
		});
	}

	async decide({ sent, name }: SentLine): Promise<never> {
		throw new OrchestraError('not_found', `the record has no answer to call ${sent}, ${name}`);
	}
}
