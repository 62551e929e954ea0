/* Answers from the record of another run, for a program that changed since: by tool and arguments, each once, in their order. */
import { OrchestraError } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import type { ThreadCall } from './interpreter.ts';
import type { AnswerLine, SentLine } from './plan-record.ts';
import { type CallOutcome, type LiveCalls, writtenOf } from './plan-run.ts';

export class RecordedCalls implements LiveCalls {
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
