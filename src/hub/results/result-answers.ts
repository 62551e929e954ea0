/*
 * The answers of tools as their clients get them: whether one has to be changed. How it is changed
 * (`answer-forms.ts`) is loaded with the first that is.
 *
 * A user at a terminal, the page and another hub get all of it.
 */
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { Answer, Awaitable } from '../../protocol/mcp-types.ts';
import type { NamedTool } from '../../trust/tool-name.ts';
import { isObject } from '../../wire/json.ts';
import { clientName, type HubCall } from '../calls/hub-call.ts';
import type { AnswerForms } from './answer-forms.ts';
import { SELECT } from './look/selecting-tool.ts';
import type { ResultSource } from './result-source.ts';
import { isLarger } from './value-size.ts';

export class ResultAnswers {
	readonly #source: ResultSource;
	readonly #log: Log;
	#forms: AnswerForms | undefined;

	constructor(source: ResultSource, log: Log) {
		this.#source = source;
		this.#log = log;
	}

	/** Characters of a result that the client of a call certainly gets as it is. */
	limitFor(context: CallContext, toolName: NamedTool | undefined): number {
		const { budgets } = this.#source;
		const client = clientName(context);
		if (getsAll(context, client)) return Number.POSITIVE_INFINITY;
		const isChanged = budgets.isChosen('unchanged', client) || budgets.isChosen('compact', client);
		return isChanged ? 0 : budgets.charactersOf(budgets.usual(client, toolName));
	}

	/** The expression of `_select` in a call whose server takes it; the server does not get it. */
	takeSelect(call: HubCall): string | undefined {
		const select = isObject(call.arguments) ? call.arguments[SELECT] : undefined;
		if (typeof select !== 'string' || !this.#source.budgets.takesSelect(call.backend)) return undefined;
		call.context.dropArgument(SELECT);
		return select;
	}

	/** The part that an expression picks from the result of a call. The whole is stored. */
	async select(answer: Answer, call: HubCall, select: string): Promise<Answer> {
		return (await this.#loaded()).select(answer, call, select);
	}

	/** The result of a call as its client gets it. One that cannot be changed is sent as it is, rather than not at all. */
	shorten(answer: Answer, call: HubCall): Awaitable<Answer> {
		const { budgets } = this.#source;
		const { context, client } = call;
		if (getsAll(context, client)) return answer;
		const isReduced =
			budgets.isChosen('compact', client) || (budgets.isChosen('unchanged', client) && isReadOnly(call));
		if (!isReduced && !isLarger(answer, budgets.charactersOf(budgets.of(call)))) return answer;
		return this.#shortened(answer, call).catch((error: unknown) => {
			this.#log.warn(notStored(error));
			return answer;
		});
	}

	endSession(sessionId: string): void {
		this.#forms?.earlier.endSession(sessionId);
	}

	async #shortened(answer: Answer, call: HubCall): Promise<Answer> {
		return (await this.#loaded()).shorten(answer, call);
	}

	async #loaded(): Promise<AnswerForms> {
		const { AnswerForms: Forms } = await import('./answer-forms.ts');
		this.#forms ??= new Forms(this.#source, this.#log);
		return this.#forms;
	}
}

/** The log line about a result that could not be stored. */
export function notStored(error: unknown): string {
	return `a large result could not be stored on disk: ${OrchestraError.from(error).message}`;
}

/** Whether the server declares the tool read-only. */
export function isReadOnly({ tool }: HubCall): boolean {
	return tool?.annotations?.['readOnlyHint'] === true;
}

/** A user at a terminal and another hub, which shortens for its own clients. */
function getsAll(context: CallContext, client: string): boolean {
	return context.passesResultsOn || client === 'mctl';
}
