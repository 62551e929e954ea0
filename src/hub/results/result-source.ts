/*
 * Results that are too long for their client: kept on disk, sent shortened, read again in parts.
 *
 * A client with a budget gets the first part of the text and a handle. Any client gets that of a
 * result above the limit in bytes, with a link that `resources/read` reads in parts. A user at a
 * terminal, the page and another hub get all of it.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import { CHARACTERS_PER_TOKEN } from '../../library/files/library-limits.ts';
import type { Log } from '../../log.ts';
import { resourceNotFound } from '../../mcp/define/defined-provider.ts';
import { failure } from '../../mcp/define/defined-results.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { targetName } from '../../mcp/server/methods.ts';
import type { Call, Capability } from '../../mcp/server/provider.ts';
import type { Item } from '../../protocol/item-lists.ts';
import {
	type Answer,
	type Awaitable,
	type CallToolResult,
	type ContentBlock,
	exactAnswer,
	type Tool,
} from '../../protocol/mcp-types.ts';
import type { NamedTool } from '../../trust/tool-name.ts';
import { isObject } from '../../wire/json.ts';
import { encodeJson, JsonText } from '../../wire/json-text.ts';
import { clientName, type HubCall } from '../calls/hub-call.ts';
import type { MergedList, Route } from '../catalogue/merged-list.ts';
import type { SessionEvents, Source, UriClaims } from '../source.ts';
import type { ClientBudgets } from './client-budgets.ts';
import { LOOK, lookGuide, lookName, lookResult, lookTool, OTHER_LOOK } from './look/look-tool.ts';
import type { LookThreads } from './look/run-look.ts';
import { SELECT, selectingTool } from './look/selecting-tool.ts';
import { isForPage, noticedTool } from './noticed-tool.ts';
import type { ResultDocument } from './result-folder.ts';
import { AGENT_BUDGET_TOKENS, SMALL_PART_CHARACTERS, UNCHANGED_TOKENS } from './result-limits.ts';
import type { Caller, ResultStore, ResultStoreOptions } from './result-store.ts';
import type { ResultText } from './shorten-result.ts';
import { newHandle, type StoredResult } from './stored-result.ts';
import { UnchangedResults } from './unchanged-results.ts';
import { isLarger } from './value-size.ts';

/** The member of `_meta` in a result that has its handle. */
const HANDLE_META = 'orchestra/handle';
const SCHEME = 'orchestra-result://';

export interface ResultSourceOptions extends Pick<ResultStoreOptions, 'environment' | 'lasting'> {
	readonly budgets: ClientBudgets;
	readonly log: Log;
}

type KeptDocument = Omit<ResultDocument, 'tool' | 'client'>;

/** A result and what it is the result of. */
interface Returned {
	readonly result: CallToolResult;
	readonly call: HubCall;
	/** 0 for a client without a budget. */
	readonly budgetTokens: number;
}

export class ResultSource implements Source, UriClaims, SessionEvents {
	readonly id = 'results';
	readonly kind = 'results';
	readonly status = { state: 'ready' } as const;
	readonly capabilities: readonly Capability[] = ['resources'];
	readonly budgets: ClientBudgets;
	readonly #options: ResultSourceOptions;
	/** Loaded with the first result that is kept or asked for. */
	#store: Promise<ResultStore> | undefined;
	#threads: LookThreads | undefined;
	readonly #unchanged = new UnchangedResults();
	/** The name of `look` in the last list. */
	#look: string = LOOK;

	constructor(options: ResultSourceOptions) {
		this.#options = options;
		this.budgets = options.budgets;
	}

	/** Characters of a result that the client of a call certainly gets as it is. */
	limitFor(context: CallContext, toolName: NamedTool | undefined): number {
		const client = clientName(context);
		if (getsAll(context, client)) return Number.POSITIVE_INFINITY;
		const isChanged = this.budgets.isChosen('unchanged', client) || this.budgets.isChosen('compact', client);
		return isChanged ? 0 : this.budgets.limitCharacters(client, toolName);
	}

	/** The expression of `_select` in a call whose server takes it; the server does not get it. */
	takeSelect(call: HubCall): string | undefined {
		const select = isObject(call.arguments) ? call.arguments[SELECT] : undefined;
		if (typeof select !== 'string' || !this.budgets.takesSelect(call.backend)) return undefined;
		call.context.dropArgument(SELECT);
		return select;
	}

	/** What an expression picks from the result of a call. The whole is kept. */
	async select(answer: Answer, call: HubCall, select: string): Promise<Answer> {
		const result = exactAnswer(answer);
		if (!isToolResult(result) || result.isError === true) return this.shorten(answer, call);
		const { textOfResult: textOf } = await import('./shorten-result.ts');
		const handle = await this.#keepText(textOf(result), call);
		const meta = { _meta: { ...result._meta, [HANDLE_META]: handle } };
		try {
			const { selectFrom } = await import('./look/select-from.ts');
			const options = { threads: await this.#lookThreads(), limit: this.#lookLimit(call.context) };
			const found = await selectFrom(result, select, { ...options, signal: call.context.signal });
			const about = `${found.about}; the whole is kept as ${handle}`;
			return { ...lookResult({ ...found, about }), ...meta };
		} catch (thrown) {
			const { message, hint } = OrchestraError.from(thrown);
			const text = `The tool ran, but ${message}. ${hint ?? ''} Its result is kept as ${handle}: ask about it with ${this.#look}.`;
			return { ...failure(text), ...meta };
		}
	}

	/** The result of a call as its client gets it. */
	shorten(answer: Answer, call: HubCall): Awaitable<Answer> {
		const { context, client } = call;
		if (getsAll(context, client)) return answer;
		const isRepeatable = this.budgets.isChosen('unchanged', client) && isReadOnly(call);
		if (isRepeatable || this.budgets.isChosen('compact', client))
			return this.#reduced(answer, call, isRepeatable);
		return this.#fit(answer, call);
	}

	/** As a table where that is smaller, and only named when the client got the same before. */
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
		const earlier = this.#unchanged.find(call, result);
		if (earlier === undefined) return undefined;
		const since = earlier.at.toISOString();
		const text = `Unchanged since ${since}. It is kept as ${earlier.handle}: ask about it with ${this.#look}.`;
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
		const { keepsStructure, textOfResult, tokensOfResult } = await import('./shorten-result.ts');
		const hasOthers = result.content.some(({ type }) => type !== 'text');
		if (hasOthers || tokensOfResult(result, !keepsStructure(call.tool)) < UNCHANGED_TOKENS) return;
		const { _meta: meta } = fitted instanceof JsonText ? {} : fitted;
		const known = isObject(meta) ? meta[HANDLE_META] : undefined;
		const handle = typeof known === 'string' ? known : await this.#keepText(textOfResult(result), call);
		this.#unchanged.remember(call, result, handle);
	}

	/** Structured content that repeats the text gets the table too; one that says it in another form stays, and so does the text. */
	async #compacted(result: CallToolResult, { client, tool }: HubCall): Promise<CallToolResult | undefined> {
		if (!this.budgets.isChosen('compact', client)) return undefined;
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

	/** Whether a client gets a result as it is: one that has to be cut is cut, and kept, as the server sent it. */
	async #fits(result: CallToolResult, call: HubCall): Promise<boolean> {
		if (isLarger(result, this.budgets.limitBytes)) return false;
		const budgetTokens = this.budgets.of(call);
		const { tokensOfResult } = await import('./shorten-result.ts');
		return budgetTokens === 0 || tokensOfResult(result, !isForPage(call.tool)) <= budgetTokens;
	}

	/** Within the budget of the client. */
	#fit(answer: Answer, call: HubCall): Awaitable<Answer> {
		const { context, toolName } = call;
		const { limitBytes } = this.budgets;
		const budgetTokens = this.budgets.of({ context, toolName });
		const limit = budgetTokens === 0 ? limitBytes : Math.min(limitBytes, budgetTokens * CHARACTERS_PER_TOKEN);
		if (!isLarger(answer, limit)) return answer;
		const result = exactAnswer(answer);
		if (!isToolResult(result)) return answer;
		return this.#shortened(answer, { result, call, budgetTokens });
	}

	ownsUri(uri: string): boolean {
		return uri.startsWith(SCHEME);
	}

	/** Results are not listed: their handles are in the results that were shortened. */
	list(): readonly Item[] {
		return [];
	}

	/** Whether a tool of this name may be `look`. */
	mayBeLook(name: string): boolean {
		return name === LOOK || name === OTHER_LOOK;
	}

	/** `look` beside the tools of all sources; under another name where one of those has its own. */
	lookRoute(routes: ReadonlyMap<string, unknown>): Route<Tool> {
		this.#look = routes.has(LOOK) ? OTHER_LOOK : LOOK;
		return { source: this, name: this.#look, item: lookTool(this.#look), toolName: lookName(this.#look) };
	}

	/** What an agent with a budget reads first. */
	guide(client: string): string | undefined {
		return this.budgets.getsHandles(client) ? lookGuide(this.#look) : undefined;
	}

	/** A list of tools where those of servers with `"select": true` take an expression. Their results have no fixed form then. */
	withSelect(list: MergedList<Item>): MergedList<Item> {
		const takesSelect = (item: Item): boolean => {
			const { source } = list.routes.get(nameOf(item)) ?? {};
			return source?.kind === 'mcp' && this.budgets.takesSelect(source.id);
		};
		if (!list.items.some(takesSelect)) return list;
		// The items of a list of tools.
		return {
			...list,
			items: list.items.map((item) => (takesSelect(item) ? selectingTool(item as Tool) : item)),
		};
	}

	/** A list of tools with `look` in it, whose results may have the notice. */
	withLook(list: MergedList<Item>): MergedList<Item> {
		const look = this.lookRoute(list.routes);
		// The items of a list of tools.
		const items = [...(list.items as readonly Tool[]).map(noticedTool), look.item].sort((a, b) =>
			nameOf(a) < nameOf(b) ? -1 : 1,
		);
		return { ...list, items, routes: new Map([...list.routes, [look.name, look]]) };
	}

	/** `resources/read` of a kept result, and the tool `look`. */
	async request(call: Call): Promise<Answer> {
		if (call.method === 'tools/call') return this.#lookInto(call.params.arguments, call.context);
		const uri = targetName(call);
		const handle = uri.slice(SCHEME.length).split('?')[0] ?? '';
		const kept = await this.find(handle, call.context);
		if (kept === undefined) throw resourceNotFound(uri);
		const { readResultPage } = await import('./result-page.ts');
		return { contents: [await readResultPage(uri, kept)] };
	}

	/** The kept result of a handle; undefined when the caller has none. */
	async find(handle: string, caller: Caller): Promise<StoredResult | undefined> {
		return (await this.#opened()).find(handle, caller);
	}

	async #lookInto(input: Readonly<Record<string, unknown>>, context: CallContext): Promise<Answer> {
		try {
			const { readLookRequest } = await import('./look/look-request.ts');
			const request = readLookRequest(input);
			const handle = String(input['handle']).replace(SCHEME, '');
			const kept = await this.find(handle, context);
			if (kept === undefined) throw unknownHandle(handle);
			if (!kept.isText) throw new OrchestraError('bad_input', `${handle} is ${kept.mimeType}, not text`);
			const threads = await this.#lookThreads();
			const job = { source: { path: kept.path, from: kept.from }, request, limit: this.#lookLimit(context) };
			return lookResult(await threads.run(job, context.signal));
		} catch (thrown) {
			// An agent reads what is wrong in a failed result, and asks again.
			const { message, hint } = OrchestraError.from(thrown);
			return failure(hint === undefined ? message : `${message}. ${hint}`);
		}
	}

	async #lookThreads(): Promise<LookThreads> {
		const { LookThreads: Threads } = await import('./look/run-look.ts');
		this.#threads ??= new Threads();
		return this.#threads;
	}

	/** Characters of an answer. */
	#lookLimit(context: CallContext): number {
		const tokens = this.budgets.of({ context, toolName: undefined }) || AGENT_BUDGET_TOKENS;
		return Math.min(tokens * CHARACTERS_PER_TOKEN, this.budgets.limitBytes);
	}

	endSession(sessionId: string): void {
		this.#unchanged.endSession(sessionId);
		// A hub that stays finds results of sessions that began before its restart.
		const store = this.#options.lasting === undefined ? this.#store : this.#opened();
		// What cannot be removed now is removed when it is too old.
		store?.then((opened) => opened.endSession(sessionId)).catch(() => {});
	}

	async close(): Promise<void> {
		await (await this.#store)?.close();
	}

	#opened(): Promise<ResultStore> {
		this.#store ??= import('./result-store.ts').then(({ ResultStore: Store }) => new Store(this.#options));
		return this.#store;
	}

	/** A result that cannot be kept is sent whole rather than not at all. */
	async #shortened(answer: Answer, returned: Returned): Promise<Answer> {
		try {
			const short = await this.#withinBudget(returned);
			const { limitBytes } = this.budgets;
			if (!isLarger(short, limitBytes)) return short === returned.result ? answer : short;
			return await this.#withinBytes({ ...returned, result: short });
		} catch (error) {
			this.#options.log.warn(`a large result could not be kept on disk: ${messageOf(error)}`);
			return answer;
		}
	}

	/** Its text within the budget; the same result when it fits already. */
	async #withinBudget({ result, call, budgetTokens }: Returned): Promise<CallToolResult> {
		const short = await import('./shorten-result.ts');
		const { limitBytes } = this.budgets;
		const isLarge = isLarger(result, limitBytes);
		if (budgetTokens === 0 && !isLarge) return result;
		const budget = Math.min(budgetTokens || AGENT_BUDGET_TOKENS, limitBytes / CHARACTERS_PER_TOKEN);
		const { tool } = call;
		const keepsStructure = short.keepsStructure(tool);
		// A program reads all of its structured content; an agent gets no more of it than of text.
		const cutsStructure = budgetTokens > 0 && !isForPage(tool);
		if (short.tokensOfResult(result, !keepsStructure || cutsStructure) <= budget) return result;
		const whole = short.textOfResult(result);
		const document = textDocument(whole);
		const handle = newHandle();
		const { cut, structure: shortStructure } = await short.shortForms(result, tool, {
			whole,
			budgetTokens: budget,
			cutsStructure,
			handle,
			look: this.#look,
		});
		const { structuredContent, ...rest } = result;
		// Its schema does not allow a part, and nothing else is long.
		if (shortStructure === undefined && short.tokensOfResult(result, !keepsStructure) <= budget)
			return result;
		const structure = { structuredContent: shortStructure ?? structuredContent };
		const shortened: CallToolResult = {
			...rest,
			content: [
				...short.shortBlocks(result.content, cut),
				...(budgetTokens === 0 ? [linkTo(handle, document)] : []),
			],
			...(keepsStructure && structuredContent !== undefined && structure),
			_meta: { ...result._meta, [HANDLE_META]: handle },
		};
		await this.#keep({ ...document, handle, sent: short.sentForm(shortened) }, call);
		return shortened;
	}

	/** Without its large images and other parts, each of which becomes a link; structured content that has to stay is an error. */
	async #withinBytes({ result, call }: Returned): Promise<CallToolResult> {
		const content: ContentBlock[] = [];
		// A host shows a page, or nothing: a link to it is no page.
		const keepsPages = !isLarger(result.content.filter(isHtml), this.budgets.limitBytes);
		for (const block of result.content) {
			const isKept = (keepsPages && isHtml(block)) || !isLarger(block, SMALL_PART_CHARACTERS);
			const document = isKept ? undefined : documentOf(block);
			if (document === undefined) content.push(block);
			else {
				const handle = await this.#keep(document, call);
				content.push(linkTo(handle, document));
			}
		}
		const linked = { ...result, content };
		const { limitBytes } = this.budgets;
		return isLarger(linked, limitBytes) ? this.#refused(linked, call) : linked;
	}

	/** What is left is structured content that must not be shortened. */
	async #refused({ structuredContent, ...result }: CallToolResult, call: HubCall): Promise<CallToolResult> {
		const content = Buffer.from(encodeJson(structuredContent ?? result.content));
		const document = { content, mimeType: 'application/json', isText: true };
		const handle = await this.#keep(document, call);
		const text =
			`The structured content of this result has ${content.length} bytes, and clients get at most ${this.budgets.limitBytes} ` +
			`(limits.resultBytes). Its output schema does not allow a part of it. It is kept as ${handle}: ask about it with ${this.#look}.`;
		return {
			content: [{ type: 'text', text }, linkTo(handle, document)],
			isError: true,
			_meta: { ...result._meta, [HANDLE_META]: handle },
		};
	}

	#keepText(whole: ResultText, call: HubCall): Promise<string> {
		return this.#keep(textDocument(whole), call);
	}

	async #keep(document: KeptDocument, call: HubCall): Promise<string> {
		const { name: tool, client, context } = call;
		return (await this.#opened()).keep({ ...document, tool, client }, context);
	}
}

function textDocument({ text, json }: ResultText): KeptDocument {
	const mimeType = json === undefined ? 'text/plain' : 'application/json';
	return { content: Buffer.from(text), mimeType, isText: true };
}

/** Only what the server says itself. */
function isReadOnly({ tool }: HubCall): boolean {
	return tool?.annotations?.['readOnlyHint'] === true;
}

function nameOf(item: Item): string {
	return 'name' in item ? String(item.name) : '';
}

function unknownHandle(handle: string): OrchestraError {
	return new OrchestraError('not_found', `there is no kept result "${handle}" of this session`, {
		hint: 'Results are kept for a day, as long as the session lasts; call the tool again.',
	});
}

/** A user at a terminal and another hub, which shortens for its own clients. */
function getsAll(context: CallContext, client: string): boolean {
	return context.passesResultsOn || client === 'mctl';
}

function isToolResult(result: object): result is CallToolResult {
	return 'content' in result && Array.isArray(result.content);
}

function linkTo(handle: string, { mimeType, content }: KeptDocument): ContentBlock {
	const about = { mimeType, size: content.length };
	return { type: 'resource_link', uri: SCHEME + handle, name: 'the whole result', ...about };
}

function isHtml(block: ContentBlock): boolean {
	return block.type === 'resource' && /^text\/html\b/i.test(block.resource.mimeType ?? '');
}

/** The content of a large block; undefined for a block that has none of its own. */
function documentOf(block: ContentBlock): KeptDocument | undefined {
	if (block.type === 'image' || block.type === 'audio') return binaryDocument(block.data, block.mimeType);
	if (block.type !== 'resource') return undefined;
	const { mimeType, text, blob } = block.resource;
	if (text !== undefined)
		return { content: Buffer.from(text), mimeType: mimeType ?? 'text/plain', isText: true };
	return blob === undefined ? undefined : binaryDocument(blob, mimeType ?? 'application/octet-stream');
}

function binaryDocument(base64: string, mimeType: string): KeptDocument {
	return { content: Buffer.from(base64, 'base64'), mimeType, isText: false };
}
