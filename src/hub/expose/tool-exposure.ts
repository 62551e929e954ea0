/*
 * What a client sees of the tools: all of them, the part of a view, or the tools that
 * search and call the others.
 *
 * The hub asks here with the context of each request, since the client is known by
 * request only. A call through `call_tool` goes back to the hub as the call that it
 * means, with the same context: journal, limits, progress, questions and cancellation
 * are those of the real tool. `mctl` sees everything: a person looks for a name.
 */
import type { ClientSettings, Configuration, ExposeMode } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams } from '../../mcp/server/provider.ts';
import type { Awaitable, CallToolResult, InputRequired, Tool } from '../../protocol/mcp-types.ts';
import type { SearchHit } from '../../search/document.ts';
import { ownEntry } from '../../wire/json.ts';
import type { MergedList } from '../merged-list.ts';
import { clientName } from '../recorded-call.ts';
import { isSearchTool, searchTools } from './search-tools.ts';
import type { OfferedTool } from './tool-document.ts';
import { matchesAny, type ToolFilter, viewFilter } from './tool-filter.ts';
import type { ToolIndex } from './tool-index.ts';
import { ToolUsage } from './tool-usage.ts';

/** Default of `toolList.exposeAbove`. */
export const EXPOSE_ABOVE = 60;

export interface ToolExposureOptions {
	/** The current configuration. */
	readonly settings: () => Pick<Configuration, 'toolList' | 'views' | 'clients'>;
	/** The view of clients that have none of their own. */
	readonly view?: string | undefined;
	readonly log: Log;
	/** Calls of earlier runs are read from it, with the first search. */
	readonly journalFile?: string | undefined;
}

/** Calls the tool with this name, past the search tools. */
export type CallDirectly = (params: CallToolParams) => Awaitable<CallToolResult | InputRequired>;

export class ToolExposure {
	readonly #options: ToolExposureOptions;
	readonly #usage = new ToolUsage();
	/** Loaded with the first search: it must not delay the start. */
	#index: ToolIndex | undefined;
	readonly #views = new Map<string, string>();
	readonly #offers = new WeakMap<MergedList<Tool>, readonly OfferedTool[]>();

	constructor(options: ToolExposureOptions) {
		this.#options = options;
	}

	/** The sessions of this id use this view, until `endSession`. */
	useView(sessionId: string, view: string): void {
		this.#views.set(sessionId, view);
	}

	endSession(sessionId: string): void {
		this.#views.delete(sessionId);
	}

	/** The tools that the client of a request sees. Throws `not_found` for a view that is not configured. */
	visible(list: MergedList<Tool>, context: CallContext): readonly Tool[] {
		const filter = this.#filterOf(context);
		const tools = filter ? list.items.filter(({ name }) => filter(name)) : list.items;
		if (this.#modeOf(tools.length, context) === 'all') return tools;
		const isAlways = matchesAny(this.#options.settings().toolList.always);
		const listed = tools.filter(({ name }) => isAlways(name) && !isSearchTool(name));
		const hidden = tools.filter(({ name }) => !isAlways(name));
		const servers = new Map<string, number>();
		for (const { name } of hidden) {
			const server = serverOf(list, name);
			servers.set(server, (servers.get(server) ?? 0) + 1);
		}
		return [...searchTools(servers), ...listed];
	}

	/** True when a call of this name is a call of a search tool for this client. */
	isSearch(name: string, list: MergedList<Tool>, context: CallContext): boolean {
		if (!isSearchTool(name)) return false;
		if (!list.routes.has(name)) return true; // also after the list became short again
		const filter = this.#filterOf(context) ?? (() => true);
		return this.#modeOf(list.items.filter((tool) => filter(tool.name)).length, context) === 'search';
	}

	/** Throws `not_found` for a tool that is not in the view of the client. */
	assertVisible(name: string, context: CallContext): void {
		if (this.#filterOf(context)?.(name) ?? true) return;
		const view = this.#viewOf(context) ?? '';
		throw new OrchestraError('not_found', `${name} is not in the view "${view}" of this client`, {
			hint: `Add it to views.${view}.allow in orchestra.json.`,
		});
	}

	/** Answer a call of a search tool. */
	async answer(
		params: CallToolParams,
		context: CallContext,
		{ list, call }: { list: MergedList<Tool>; call: CallDirectly },
	): Promise<CallToolResult | InputRequired> {
		const accept = this.#filterOf(context) ?? (() => true);
		const { answerSearchTool } = await import('./answer-search-tool.ts');
		const tools = this.#offered(list);
		return answerSearchTool(params, context, { tools, accept, index: await this.#ranker(), call });
	}

	/** The best tools for the query of a person, over all tools of the hub. */
	async search(list: MergedList<Tool>, query: string, limit: number): Promise<SearchHit[]> {
		return (await this.#ranker()).search(this.#offered(list), { query, limit, accept: () => true });
	}

	/** A call of this tool succeeded. */
	used(name: string): void {
		this.#usage.used(name);
	}

	async #ranker(): Promise<ToolIndex> {
		const { ToolIndex: Index } = await import('./tool-index.ts');
		const { toolsInJournal } = await import('./tools-in-journal.ts');
		if (this.#index === undefined) this.#usage.recount(toolsInJournal(this.#options.journalFile));
		this.#index ??= new Index(this.#usage, this.#options.log);
		return this.#index;
	}

	/** The same array for the same list: the index compares it. */
	#offered(list: MergedList<Tool>): readonly OfferedTool[] {
		const known = this.#offers.get(list);
		if (known) return known;
		const offered = list.items.map((tool) => ({ tool, server: serverOf(list, tool.name) }));
		this.#offers.set(list, offered);
		return offered;
	}

	#modeOf(tools: number, context: CallContext): ExposeMode {
		const { toolList } = this.#options.settings();
		const chosen = this.#clientOf(context)?.expose;
		if (chosen !== undefined) return chosen;
		if (clientName(context) === 'mctl') return 'all';
		return toolList.expose ?? (tools > (toolList.exposeAbove ?? EXPOSE_ABOVE) ? 'search' : 'all');
	}

	#filterOf(context: CallContext): ToolFilter | undefined {
		const view = this.#viewOf(context);
		return view === undefined ? undefined : viewFilter(this.#options.settings().views, view);
	}

	#viewOf(context: CallContext): string | undefined {
		if (this.#views.size > 0) {
			const chosen = this.#views.get(context.sessionId);
			if (chosen !== undefined) return chosen;
		}
		return this.#options.view ?? this.#clientOf(context)?.view;
	}

	#clientOf(context: CallContext): ClientSettings | undefined {
		return ownEntry(this.#options.settings().clients, clientName(context));
	}
}

/** The backend of a tool; that of a folder's own tools is called `tools`. */
function serverOf({ routes }: MergedList<Tool>, name: string): string {
	return routes.get(name)?.backend.id ?? '';
}
