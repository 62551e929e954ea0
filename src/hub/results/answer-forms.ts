/*
 * The forms of an answer for its client: what an expression picks of it, a sentence where the client has the
 * same, a table, or the first part and a handle.
 */
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import {
	type Answer,
	type CallToolResult,
	exactAnswer,
	failure,
	textResult,
} from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText } from '../../wire/json-text.ts';
import type { HubCall } from '../calls/hub-call.ts';
import { compactJson } from './compact-json.ts';
import { EarlierResults } from './earlier-results.ts';
import { fitResult, textDocument } from './fit-result.ts';
import { lookResult } from './look/look-tool.ts';
import { isForPage } from './notice-schema.ts';
import { isReadOnly, notStored } from './result-answers.ts';
import { UNCHANGED_TOKENS } from './result-limits.ts';
import type { ResultSource } from './result-source.ts';
import { retainsStructure, shortMembers, textOfResult, tokensOfResult } from './shorten-result.ts';
import { HANDLE_META } from './stored-result.ts';
import { isLarger } from './value-size.ts';

export class AnswerForms {
	readonly earlier: EarlierResults = new EarlierResults();
	readonly #source: ResultSource;
	readonly #log: Log;

	constructor(source: ResultSource, log: Log) {
		this.#source = source;
		this.#log = log;
	}

	async select(answer: Answer, call: HubCall, select: string): Promise<Answer> {
		const result = resultIn(answer);
		if (result === undefined || result.isError === true) return this.#source.answers.shorten(answer, call);
		const handle = await this.#keepWhole(result, call);
		const meta = { _meta: { ...result._meta, ...(handle !== undefined && { [HANDLE_META]: handle }) } };
		try {
			const { text, about } = await this.#source.select(result, select, call.context);
			const whole = handle === undefined ? '' : `; the whole is stored as ${handle}`;
			return { ...lookResult({ text, about: about + whole }), ...meta };
		} catch (thrown) {
			const { message, hint = '' } = OrchestraError.from(thrown);
			const whole =
				handle === undefined
					? ''
					: ` Its result is stored as ${handle}: ask about it with ${this.#source.lookName}.`;
			return { ...failure(`The tool ran, but ${message}. ${hint}${whole}`), ...meta };
		}
	}

	/** The answer as a table where that is smaller, only named when the client got the same before, else within its budget. */
	async shorten(answer: Answer, call: HubCall): Promise<Answer> {
		const result = resultIn(answer);
		if (result === undefined) return answer;
		const { budgets } = this.#source;
		const isFailed = result.isError === true;
		const isRepeatable = !isFailed && budgets.isChosen('unchanged', call.client) && isReadOnly(call);
		const unchanged = isRepeatable ? await this.#unchangedAnswer(result, call) : undefined;
		if (unchanged) return unchanged;
		const isCompact = !isFailed && budgets.isChosen('compact', call.client);
		const compact = isCompact ? await compacted(result, call) : undefined;
		const fitted = compact && this.#fits(compact, call) ? compact : await this.#fit(answer, result, call);
		if (isRepeatable) await this.#remember(call, result, fitted);
		return fitted;
	}

	/** Structured content that has to be there is replaced by the sentence where its schema allows that; else the result is sent again. */
	async #unchangedAnswer(result: CallToolResult, call: HubCall): Promise<CallToolResult | undefined> {
		const earlier = this.earlier.find(call, result);
		if (earlier === undefined || !(await this.#source.find(earlier.handle, call.context))) return undefined;
		const since = earlier.at.toISOString();
		const text = `Unchanged since ${since}. It is stored as ${earlier.handle}: ask about it with ${this.#source.lookName}.`;
		const short = { ...textResult(text), _meta: { ...result._meta, [HANDLE_META]: earlier.handle } };
		if (!retainsStructure(call.tool) || result.structuredContent === undefined) return short;
		const structuredContent = await shortMembers(result, call.tool, { shown: text, notice: '' });
		return structuredContent === undefined ? undefined : { ...short, structuredContent };
	}

	async #remember(call: HubCall, result: CallToolResult, sent: Answer): Promise<void> {
		const hasOthers = result.content.some(({ type }) => type !== 'text');
		if (hasOthers || tokensOfResult(result, !retainsStructure(call.tool)) < UNCHANGED_TOKENS) return;
		const { _meta: meta } = sent instanceof JsonText ? {} : sent;
		const known = isObject(meta) ? meta[HANDLE_META] : undefined;
		const handle = typeof known === 'string' ? known : await this.#keepWhole(result, call);
		if (handle !== undefined) this.earlier.remember(call, result, handle);
	}

	/** Whether a client gets a result as it is: one that has to be cut is cut, and stored, as the server sent it. */
	#fits(result: CallToolResult, call: HubCall): boolean {
		const { budgets } = this.#source;
		if (isLarger(result, budgets.limitBytes)) return false;
		const budgetTokens = budgets.of(call);
		return budgetTokens === 0 || tokensOfResult(result, !isForPage(call.tool)) <= budgetTokens;
	}

	async #fit(answer: Answer, result: CallToolResult, call: HubCall): Promise<Answer> {
		const { budgets } = this.#source;
		const budgetTokens = budgets.of(call);
		if (!isLarger(answer, budgets.charactersOf(budgetTokens))) return answer;
		const fitted = await fitResult({ result, call, budgetTokens, source: this.#source });
		return fitted === result ? answer : fitted;
	}

	/** Undefined when it cannot be stored. */
	async #keepWhole(result: CallToolResult, call: HubCall): Promise<string | undefined> {
		try {
			return await this.#source.add(textDocument(textOfResult(result)), call);
		} catch (error) {
			this.#log.warn(notStored(error));
			return undefined;
		}
	}
}

/** Structured content that repeats the text gets the table too; one that says it in another form stays, and so does the text. */
async function compacted(result: CallToolResult, { tool }: HubCall): Promise<CallToolResult | undefined> {
	const tables = result.content.map((block) => (block.type === 'text' ? compactJson(block.text) : undefined));
	const shown = tables.find((table) => table !== undefined);
	if (shown === undefined) return undefined;
	const content = result.content.map((block, at) => {
		const text = tables[at];
		return text === undefined ? block : { ...block, text };
	});
	if (result.structuredContent === undefined) return { ...result, content };
	if (result.content.length > 1) return undefined;
	const structuredContent = await shortMembers(result, tool, { shown, notice: '' });
	return structuredContent === undefined ? undefined : { ...result, content, structuredContent };
}

/** The result of a tool; undefined for another answer. */
function resultIn(answer: Answer): CallToolResult | undefined {
	const result: object = exactAnswer(answer);
	return 'content' in result && Array.isArray(result.content) ? (result as CallToolResult) : undefined;
}
