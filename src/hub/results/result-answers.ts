/*
 * The answers of tools as their clients get them: whole, what an expression picks, only named where
 * the client has the same, as a table, or the first part and a handle.
 *
 * A user at a terminal, the page and another hub get all of it.
 */
import { OrchestraError } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import { CHARACTERS_PER_TOKEN } from '../../library/files/library-limits.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import {
	type Answer,
	type Awaitable,
	type CallToolResult,
	exactAnswer,
	failure,
} from '../../protocol/mcp-types.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import type { NamedTool } from '../../trust/tool-name.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { isObject } from '../../wire/json.ts';
import { encodeJson, JsonText } from '../../wire/json-text.ts';
import { clientName, type HubCall } from '../calls/hub-call.ts';
import type { ClientBudgets } from './client-budgets.ts';
import type { LookAnswer } from './look/look-request.ts';
import { lookResult } from './look/look-tool.ts';
import { SELECT } from './look/selecting-tool.ts';
import { isForPage } from './notice-schema.ts';
import type { ResultDocument } from './result-folder.ts';
import { REMEMBERED_RESULTS, UNCHANGED_TOKENS } from './result-limits.ts';
import { HANDLE_META } from './stored-result.ts';
import { isLarger } from './value-size.ts';

/** The deps of answers: the store of results. */
export interface ResultPlace {
	/** The name of `look` in the last list. */
	readonly lookName: string;
	/** Write a document for the client of a call, and return its handle. Rejects with the error of the system. */
	keep(document: Omit<ResultDocument, 'tool' | 'client'>, call: HubCall): Promise<string>;
	/** Whether the client of a call finds this result. */
	has(handle: string, call: HubCall): Promise<boolean>;
	/** What an expression picks. Rejects with `bad_input` when it cannot be evaluated. */
	select(result: CallToolResult, select: string, context: CallContext): Promise<LookAnswer>;
}

export interface ResultAnswersOptions {
	readonly budgets: ClientBudgets;
	readonly log: Log;
}

export class ResultAnswers {
	readonly #budgets: ClientBudgets;
	readonly #log: Log;
	readonly #place: ResultPlace;
	readonly #earlier = new EarlierResults();

	constructor({ budgets, log }: ResultAnswersOptions, place: ResultPlace) {
		this.#budgets = budgets;
		this.#log = log;
		this.#place = place;
	}

	/** Characters of a result that the client of a call certainly gets as it is. */
	limitFor(context: CallContext, toolName: NamedTool | undefined): number {
		const client = clientName(context);
		if (getsAll(context, client)) return Number.POSITIVE_INFINITY;
		const isChanged =
			this.#budgets.isChosen('unchanged', client) || this.#budgets.isChosen('compact', client);
		return isChanged ? 0 : this.#budgets.limitCharacters(client, toolName);
	}

	/** The expression of `_select` in a call whose server takes it; the server does not get it. */
	takeSelect(call: HubCall): string | undefined {
		const select = isObject(call.arguments) ? call.arguments[SELECT] : undefined;
		if (typeof select !== 'string' || !this.#budgets.takesSelect(call.backend)) return undefined;
		call.context.dropArgument(SELECT);
		return select;
	}

	/** The part that an expression picks from the result of a call. The whole is stored. */
	async select(answer: Answer, call: HubCall, select: string): Promise<Answer> {
		const result = exactAnswer(answer);
		if (!isToolResult(result) || result.isError === true) return this.shorten(answer, call);
		const handle = await this.#keepWhole(result, call);
		const meta = { _meta: { ...result._meta, ...(handle !== undefined && { [HANDLE_META]: handle }) } };
		try {
			const { text, about } = await this.#place.select(result, select, call.context);
			const whole = handle === undefined ? '' : `; the whole is kept as ${handle}`;
			return { ...lookResult({ text, about: about + whole }), ...meta };
		} catch (thrown) {
			const { message, hint = '' } = OrchestraError.from(thrown);
			const whole =
				handle === undefined
					? ''
					: ` Its result is kept as ${handle}: ask about it with ${this.#place.lookName}.`;
			return { ...failure(`The tool ran, but ${message}. ${hint}${whole}`), ...meta };
		}
	}

	/** The result of a call as its client gets it. One that cannot be changed is sent as it is, rather than not at all. */
	shorten(answer: Answer, call: HubCall): Awaitable<Answer> {
		const shortened = this.#shortened(answer, call);
		return shortened instanceof Promise ? shortened.catch((error) => this.#warn(error) ?? answer) : shortened;
	}

	#shortened(answer: Answer, call: HubCall): Awaitable<Answer> {
		const { context, client } = call;
		if (getsAll(context, client)) return answer;
		const isRepeatable = this.#budgets.isChosen('unchanged', client) && isReadOnly(call);
		if (isRepeatable || this.#budgets.isChosen('compact', client))
			return this.#reduced(answer, call, isRepeatable);
		return this.#fit(answer, call);
	}

	endSession(sessionId: string): void {
		this.#earlier.endSession(sessionId);
	}

	/** The answer as a table where that is smaller, and only named when the client got the same before. */
	async #reduced(answer: Answer, call: HubCall, isRepeatable: boolean): Promise<Answer> {
		const result = exactAnswer(answer);
		if (!isToolResult(result) || result.isError === true) return this.#fit(answer, call);
		const unchanged = isRepeatable ? await this.#unchangedAnswer(result, call) : undefined;
		if (unchanged) return unchanged;
		const compact = await this.#compacted(result, call);
		const fitted = compact && (await this.#fits(compact, call)) ? compact : await this.#fit(answer, call);
		if (isRepeatable) await this.#remember(call, result, fitted);
		return fitted;
	}

	/** Structured content that has to be there is replaced by the sentence where its schema allows that; else the result is sent again. */
	async #unchangedAnswer(result: CallToolResult, call: HubCall): Promise<CallToolResult | undefined> {
		const earlier = this.#earlier.find(call, result);
		if (earlier === undefined || !(await this.#place.has(earlier.handle, call))) return undefined;
		const since = earlier.at.toISOString();
		const text = `Unchanged since ${since}. It is kept as ${earlier.handle}: ask about it with ${this.#place.lookName}.`;
		const short: CallToolResult = {
			content: [{ type: 'text', text }],
			_meta: { ...result._meta, [HANDLE_META]: earlier.handle },
		};
		const { keepsStructure, shortMembers } = await import('./shorten-result.ts');
		if (!keepsStructure(call.tool) || result.structuredContent === undefined) return short;
		const structuredContent = await shortMembers(result, call.tool, { shown: text, notice: '' });
		return structuredContent === undefined ? undefined : { ...short, structuredContent };
	}

	async #remember(call: HubCall, result: CallToolResult, fitted: Answer): Promise<void> {
		const { keepsStructure, tokensOfResult } = await import('./shorten-result.ts');
		const hasOthers = result.content.some(({ type }) => type !== 'text');
		if (hasOthers || tokensOfResult(result, !keepsStructure(call.tool)) < UNCHANGED_TOKENS) return;
		const { _meta: meta } = fitted instanceof JsonText ? {} : fitted;
		const known = isObject(meta) ? meta[HANDLE_META] : undefined;
		const handle = typeof known === 'string' ? known : await this.#keepWhole(result, call);
		if (handle !== undefined) this.#earlier.remember(call, result, handle);
	}

	/** Structured content that repeats the text gets the table too; one that says it in another form stays, and so does the text. */
	async #compacted(result: CallToolResult, { client, tool }: HubCall): Promise<CallToolResult | undefined> {
		if (!this.#budgets.isChosen('compact', client)) return undefined;
		const { compactJson } = await import('./compact-json.ts');
		const tables = result.content.map((block) =>
			block.type === 'text' ? compactJson(block.text) : undefined,
		);
		const shown = tables.find((table) => table !== undefined);
		if (shown === undefined) return undefined;
		const content = result.content.map((block, at) => {
			const text = tables[at];
			return text === undefined ? block : { ...block, text };
		});
		if (result.structuredContent === undefined) return { ...result, content };
		if (result.content.length > 1) return undefined;
		const { shortMembers } = await import('./shorten-result.ts');
		const structuredContent = await shortMembers(result, tool, { shown, notice: '' });
		return structuredContent === undefined ? undefined : { ...result, content, structuredContent };
	}

	/** Whether a client gets a result as it is: one that has to be cut is cut, and stored, as the server sent it. */
	async #fits(result: CallToolResult, call: HubCall): Promise<boolean> {
		if (isLarger(result, this.#budgets.limitBytes)) return false;
		const budgetTokens = this.#budgets.of(call);
		const { tokensOfResult } = await import('./shorten-result.ts');
		return budgetTokens === 0 || tokensOfResult(result, !isForPage(call.tool)) <= budgetTokens;
	}

	/** Within the budget of the client. */
	#fit(answer: Answer, call: HubCall): Awaitable<Answer> {
		const { limitBytes } = this.#budgets;
		const budgetTokens = this.#budgets.of(call);
		const limit = budgetTokens === 0 ? limitBytes : Math.min(limitBytes, budgetTokens * CHARACTERS_PER_TOKEN);
		if (!isLarger(answer, limit)) return answer;
		const result = exactAnswer(answer);
		return isToolResult(result) ? this.#fitted(answer, { result, call, budgetTokens }) : answer;
	}

	async #fitted(
		answer: Answer,
		{ result, call, budgetTokens }: { result: CallToolResult; call: HubCall; budgetTokens: number },
	): Promise<Answer> {
		const { fitResult } = await import('./fit-result.ts');
		const { limitBytes } = this.#budgets;
		const { lookName: look } = this.#place;
		const keep = (document: Parameters<ResultPlace['keep']>[0]): Promise<string> =>
			this.#place.keep(document, call);
		const long = { result, tool: call.tool, budgetTokens, limitBytes, look, keep };
		const fitted = await fitResult(long);
		return fitted === result ? answer : fitted;
	}

	/** Undefined when it cannot be stored. */
	async #keepWhole(result: CallToolResult, call: HubCall): Promise<string | undefined> {
		try {
			const { textDocument } = await import('./fit-result.ts');
			const { textOfResult } = await import('./shorten-result.ts');
			return await this.#place.keep(textDocument(textOfResult(result)), call);
		} catch (error) {
			return this.#warn(error);
		}
	}

	#warn(error: unknown): undefined {
		const { message } = OrchestraError.from(error);
		this.#log.warn(`a large result could not be kept on disk: ${message}`);
	}
}

/** A result that a session got. */
interface EarlierResult {
	readonly sessionId: string;
	readonly hash: string;
	readonly handle: string;
	readonly at: Date;
}

/**
 * Results of read-only tools that a session got before: the same call with the same result is answered
 * with the handle of the earlier one. The call is made each time; only its answer is shorter.
 */
class EarlierResults {
	/** Keyed by session, tool and arguments, the least recently used first. */
	readonly #earlier = new BoundedMap<string, EarlierResult>(REMEMBERED_RESULTS);

	/** The earlier result of the same call when it is the same; undefined when it is not. */
	find(call: HubCall, result: unknown): Pick<EarlierResult, 'handle' | 'at'> | undefined {
		const key = keyOf(call);
		const found = this.#earlier.get(key);
		if (found === undefined) return undefined;
		this.#earlier.delete(key);
		if (found.hash !== sha256(encodeJson(result))) return undefined;
		this.#earlier.set(key, found);
		return found;
	}

	/** The session gets this result now, and it is kept. */
	remember(call: HubCall, result: unknown, handle: string): void {
		const { sessionId } = call.context;
		this.#earlier.set(keyOf(call), { sessionId, hash: sha256(encodeJson(result)), handle, at: new Date() });
	}

	endSession(sessionId: string): void {
		for (const [key, earlier] of this.#earlier)
			if (earlier.sessionId === sessionId) this.#earlier.delete(key);
	}
}

function keyOf({ context, name, arguments: input }: HubCall): string {
	return sha256(`${context.sessionId}\n${name}\n${canonicalJson(input ?? {})}`);
}

/** Only what the server says itself. */
function isReadOnly({ tool }: HubCall): boolean {
	return tool?.annotations?.['readOnlyHint'] === true;
}

/** A user at a terminal and another hub, which shortens for its own clients. */
function getsAll(context: CallContext, client: string): boolean {
	return context.passesResultsOn || client === 'mctl';
}

function isToolResult(result: object): result is CallToolResult {
	return 'content' in result && Array.isArray(result.content);
}
