/*
 * Results that are too long for their clients: stored on disk, and read again in parts, as resources
 * and with the tool `look`.
 */
import { OrchestraError, withHint } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { resourceNotFound } from '../../mcp/define/definition-provider.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { targetName } from '../../mcp/server/methods.ts';
import type { Call, Capability } from '../../mcp/server/provider.ts';
import type { Item } from '../../protocol/item-lists.ts';
import { type Answer, type CallToolResult, failure, type Tool } from '../../protocol/mcp-types.ts';
import { clientName, type HubCall } from '../calls/hub-call.ts';
import type { MergedList, Route } from '../catalogue/merged-list.ts';
import type { Can, Source } from '../source.ts';
import type { ClientBudgets } from './client-budgets.ts';
import type { LookAnswer } from './look/look-request.ts';
import { LOOK, lookGuide, lookName, lookResult, lookTool, OTHER_LOOK } from './look/look-tool.ts';
import type { LookThreads } from './look/run-look.ts';
import { selectingTool } from './look/selecting-tool.ts';
import { noticedTool } from './notice-schema.ts';
import { ResultAnswers } from './result-answers.ts';
import type { StoredDocument } from './result-folder.ts';
import { AGENT_BUDGET_TOKENS } from './result-limits.ts';
import type { Caller, ResultStore, ResultStoreOptions } from './result-store.ts';
import { SCHEME, type StoredResult } from './stored-result.ts';

export interface ResultSourceOptions extends Pick<ResultStoreOptions, 'environment' | 'lasting'> {
	readonly budgets: ClientBudgets;
	readonly log: Log;
}

export class ResultSource implements Source, Can<'ownsUri' | 'endSession'> {
	readonly id = 'results';
	readonly kind = 'results';
	readonly status = { state: 'ready' } as const;
	readonly capabilities: readonly Capability[] = ['resources'];
	readonly budgets: ClientBudgets;
	/** The forms of results that clients get. */
	readonly answers: ResultAnswers;
	readonly #options: ResultSourceOptions;
	/** Loaded with the first result that is stored or read. */
	#store: Promise<ResultStore> | undefined;
	#threads: LookThreads | undefined;
	/** The name of `look` in the last list. */
	lookName: string = LOOK;

	constructor(options: ResultSourceOptions) {
		this.#options = options;
		this.budgets = options.budgets;
		this.answers = new ResultAnswers(this, options.log);
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
		this.lookName = routes.has(LOOK) ? OTHER_LOOK : LOOK;
		return {
			source: this,
			name: this.lookName,
			item: lookTool(this.lookName),
			toolName: lookName(this.lookName),
		};
	}

	/** The instructions of an agent with a budget. */
	guide(client: string): string | undefined {
		return this.budgets.getsHandles(client) ? lookGuide(this.lookName) : undefined;
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

	/** `resources/read` of a stored result, and the tool `look`. */
	async request(call: Call): Promise<Answer> {
		if (call.method === 'tools/call') return this.#lookInto(call.params.arguments, call.context);
		const uri = targetName(call);
		const handle = uri.slice(SCHEME.length).split('?')[0] ?? '';
		const stored = await this.find(handle, call.context);
		if (stored === undefined) throw resourceNotFound(uri);
		const { readResultPage } = await import('./result-page.ts');
		return { contents: [await readResultPage(uri, stored)] };
	}

	/** Store a document for the client of a call, and return its handle. Rejects with the error of the system. */
	async add(document: StoredDocument, { name: tool, client, context }: HubCall): Promise<string> {
		return (await this.#opened()).add({ ...document, tool, client }, context);
	}

	/** What an expression picks. Rejects with `bad_input` when it cannot be evaluated. */
	async select(result: CallToolResult, select: string, context: CallContext): Promise<LookAnswer> {
		const { selectFrom } = await import('./look/select-from.ts');
		const options = { threads: await this.#lookThreads(), limit: this.#lookLimit(context) };
		return selectFrom(result, select, { ...options, signal: context.signal });
	}

	/** The stored result of a handle; undefined when the caller has none. */
	async find(handle: string, caller: Caller): Promise<StoredResult | undefined> {
		return (await this.#opened()).find(handle, caller);
	}

	async #lookInto(input: Readonly<Record<string, unknown>>, context: CallContext): Promise<Answer> {
		try {
			const { readLookRequest } = await import('./look/look-request.ts');
			const request = readLookRequest(input);
			const handle = String(input['handle']).replace(SCHEME, '');
			const stored = await this.find(handle, context);
			if (stored === undefined) throw unknownHandle(handle);
			if (!stored.isText) throw new OrchestraError('bad_input', `${handle} is ${stored.mimeType}, not text`);
			const threads = await this.#lookThreads();
			const job = {
				source: { path: stored.path, from: stored.from },
				request,
				limit: this.#lookLimit(context),
			};
			return lookResult(await threads.run(job, context.signal));
		} catch (thrown) {
			// An agent reads what is wrong in a failed result, and asks again.
			return failure(withHint(OrchestraError.from(thrown)));
		}
	}

	async #lookThreads(): Promise<LookThreads> {
		const { LookThreads: Threads } = await import('./look/run-look.ts');
		this.#threads ??= new Threads();
		return this.#threads;
	}

	/** Characters of an answer. */
	#lookLimit(context: CallContext): number {
		const tokens =
			this.budgets.of({ client: clientName(context), context, toolName: undefined }) || AGENT_BUDGET_TOKENS;
		return this.budgets.charactersOf(tokens);
	}

	endSession(sessionId: string): void {
		this.answers.endSession(sessionId);
		// A hub that stays finds results of sessions that began before its restart.
		const store = this.#options.lasting === undefined ? this.#store : this.#opened();
		// What cannot be removed now is removed when it is too old.
		store?.then((opened) => opened.endSession(sessionId)).catch(() => {});
	}

	endOthers(left: ReadonlySet<string>): void {
		// What cannot be removed now is removed when it is too old.
		this.#opened()
			.then((opened) => opened.endOthers(left))
			.catch(() => {});
	}

	async close(): Promise<void> {
		await (await this.#store)?.close();
	}

	#opened(): Promise<ResultStore> {
		this.#store ??= import('./result-store.ts').then(({ ResultStore: Store }) => new Store(this.#options));
		return this.#store;
	}
}

function nameOf(item: Item): string {
	return 'name' in item ? String(item.name) : '';
}

function unknownHandle(handle: string): OrchestraError {
	return new OrchestraError('not_found', `there is no stored result "${handle}" of this session`, {
		hint: 'Results are stored for a day, as long as the session lasts; call the tool again.',
	});
}
