/*
 * What a client sees of the tools: all of them, the part of a view, or the tools that
 * search and call the others.
 *
 * The hub calls it with the context of each request, since the client is known by
 * request only. A call through `call_tool` goes back to the hub as the call that it
 * means, with the same context: journal, limits, progress, client requests and cancellation
 * are those of the real tool. `mctl` sees everything: a user looks for a name.
 */

import type { ClientSettings, Configuration, ExposeMode } from '../../config/configuration.ts';
import { EXPOSE_ABOVE } from '../../config/defaults.ts';
import { OrchestraError } from '../../errors.ts';
import type { OpenEmbeddings } from '../../library/embeddings/open-embeddings.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams } from '../../mcp/server/provider.ts';
import type { Answer, Awaitable, Skill, Tool } from '../../protocol/mcp-types.ts';
import type { SearchHit } from '../../search/document.ts';
import { type NamedTool, serverNamesOf } from '../../trust/tool-name.ts';
import { anyToolPattern, type ToolTest } from '../../trust/tool-pattern.ts';
import { ownEntry } from '../../wire/json.ts';
import { memoized } from '../../wire/memoized.ts';
import type { AbsentServer } from '../absent-servers.ts';
import { isOfApp, showsPages } from '../calls/adapt-apps.ts';
import { clientName } from '../calls/hub-call.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import { agentNamed } from '../sessions/agent-table.ts';
import { able, type Source } from '../source.ts';
import type { ListMeter } from '../usage/list-meter.ts';
import { isSearchTool, searchTools } from './search-tools.ts';
import type { SkillSearch } from './skill-search.ts';
import type { ExposedTool } from './tool-document.ts';
import { aboutView, type ToolFilter, viewFilter } from './tool-filter.ts';
import type { ToolIndex } from './tool-index.ts';
import { ToolUsage } from './tool-usage.ts';

/** The part of the limit that decides, by the mode before: a session changes its mode only well beyond the limit. */
const limitShares: Readonly<Record<ExposeMode | 'first', number>> = { first: 1, all: 1.25, search: 0.75 };

export interface ToolExposureOptions {
	/** The current configuration. */
	readonly settings: () => Pick<Configuration, 'toolList' | 'views' | 'clients' | 'mcpServers'>;
	/** Tools of the hub itself that are listed beside the search tools. */
	readonly ownTools?: readonly string[] | undefined;
	/** The view of clients that have none of their own. */
	readonly view?: string | undefined;
	readonly log: Log;
	/** Calls of earlier runs are read from it, with the first search. */
	readonly journalFile?: string | undefined;
	/** The tools that were useful for queries in this project. Default: stored in memory. */
	readonly usageFile?: string | undefined;
	/** Counts the tokens of lists. */
	readonly meter?: ListMeter | undefined;
	/** The model that the user chose, if any. */
	readonly embeddings?: OpenEmbeddings | undefined;
}

/** Calls the tool with this name, past the search tools. */
export type CallDirectly = (params: CallToolParams) => Awaitable<Answer>;

/** The tools that a search tool may use. */
export interface SearchedTools {
	/** The tools of the client, as they are listed now. */
	readonly list: () => Awaitable<MergedList<Tool>>;
	readonly absent: () => readonly AbsentServer[];
	/** A sentence about servers that the user has to trust first. */
	readonly untrusted: () => string | undefined;
	/** Resolves when a server that is late has answered or failed; undefined when none is late. */
	readonly nextAnswer: () => Promise<unknown> | undefined;
	readonly call: CallDirectly;
	/** The skills of all sources. */
	readonly skills: () => Awaitable<readonly Skill[]>;
}

export class ToolExposure {
	readonly #options: ToolExposureOptions;
	readonly #usage: ToolUsage;
	/** Loaded with the first search: it must not delay the start. */
	#index: ToolIndex | undefined;
	#skills: SkillSearch | undefined;
	readonly #views = new Map<string, string>();
	/** The form that each session saw first, where the number of tools decides. */
	readonly #modes = new Map<string, ExposeMode>();
	/** The views that were used, for the configuration that has them. */
	#read: { readonly settings: object; readonly views: Map<string, ToolTest> } | undefined;
	#generation = 0;
	#lastSettings: unknown;
	/** The same array for the same list: the index compares it. */
	readonly #exposedOf = memoized(exposedBy);

	constructor(options: ToolExposureOptions) {
		this.#options = options;
		this.#usage = new ToolUsage(options.usageFile);
	}

	/** Changes with the configuration and the views of sessions. */
	get generation(): number {
		const settings = this.#options.settings();
		if (settings !== this.#lastSettings) this.#generation++;
		this.#lastSettings = settings;
		return this.#generation;
	}

	/** The sessions of this id use this view, until `endSession`. */
	useView(sessionId: string, view: string): void {
		this.#generation++;
		this.#views.set(sessionId, view);
	}

	endSession(sessionId: string): void {
		this.#views.delete(sessionId);
		this.#modes.delete(sessionId);
		this.#usage.queries.endSession(sessionId);
		this.#options.meter?.endSession(sessionId);
	}

	/** The view of a client; undefined when it sees all tools. */
	viewOf(context: Pick<CallContext, 'sessionId' | 'clientInfo'>): string | undefined {
		if (this.#views.size > 0) {
			const chosen = this.#views.get(context.sessionId);
			if (chosen !== undefined) return chosen;
		}
		return this.#options.view ?? this.#clientOf(context)?.view;
	}

	/** The tools that the client of a request sees. Throws `not_found` for a view that is not configured. */
	visible(
		list: MergedList<Tool>,
		context: CallContext,
		absent: readonly AbsentServer[] = [],
	): readonly Tool[] {
		const filter = this.#filterOf(context, list);
		const tools = filter ? list.items.filter(({ name }) => filter(name)) : list.items;
		const isAll = this.#decideMode(tools.length, context, absent) === 'all';
		const shown = isAll ? tools : this.#searched(list, tools, { absent, hasPages: showsPages(context) });
		this.#options.meter?.listed({ all: list.items, inView: tools, shown }, context);
		return shown;
	}

	/** The tools that are listed in place of these: those that are always listed, and those that search the others. */
	#searched(
		list: MergedList<Tool>,
		tools: readonly Tool[],
		{ absent, hasPages }: { readonly absent: readonly AbsentServer[]; readonly hasPages: boolean },
	): readonly Tool[] {
		const { toolList, mcpServers } = this.#options.settings();
		const isAlways = filterOver(
			list,
			anyToolPattern(
				[...toolList.always, ...loadedServers(mcpServers), ...(this.#options.ownTools ?? [])],
				serverNamesOf(mcpServers),
			),
		);
		// A host binds a page to the tool that it listed.
		const isListed = (tool: Tool): boolean => isAlways(tool.name) || (hasPages && isOfApp(tool));
		const listed = tools.filter((tool) => isListed(tool) && !isSearchTool(tool.name));
		const hidden = tools.filter((tool) => !isListed(tool));
		const counts = new Map<string, number>();
		for (const { name } of hidden) {
			const server = serverOf(list, name);
			counts.set(server, (counts.get(server) ?? 0) + 1);
		}
		return [...searchTools({ counts, absent }), ...listed];
	}

	/** False for a client that the settings show all tools. */
	maySearch(context: CallContext): boolean {
		return this.#chosenMode(context) !== 'all';
	}

	/** True when a call of this name is a call of a search tool for this client. */
	isSearch(name: string, list: MergedList<Tool>, context: CallContext): boolean {
		if (!isSearchTool(name)) return false;
		if (!list.routes.has(name)) return true; // also after the list became short again
		const filter = this.#filterOf(context, list) ?? (() => true);
		return this.#modeOf(list.items.filter((tool) => filter(tool.name)).length, context) === 'search';
	}

	/** Throws `not_found` for a tool that is not in the view of the client. */
	assertVisible(name: string, toolName: NamedTool | undefined, context: CallContext): void {
		const view = this.viewOf(context);
		if (view === undefined) return;
		const { mcpServers } = this.#options.settings();
		if (this.#testOf(view)(toolName ?? serverNamesOf(mcpServers).read(name))) return;
		const { title, hint } = aboutView(view);
		throw new OrchestraError('not_found', `${name} is not in ${title} of this client`, { hint });
	}

	/** Whether a tool is in the view of the client. */
	isVisible(toolName: NamedTool | undefined, context: CallContext): boolean {
		const view = this.viewOf(context);
		return view === undefined || toolName === undefined || this.#testOf(view)(toolName);
	}

	/** Answer a call of a search tool. */
	async answer(params: CallToolParams, context: CallContext, searched: SearchedTools): Promise<Answer> {
		const view = this.viewOf(context);
		let current: MergedList<Tool> | undefined;
		const test = view === undefined ? undefined : this.#testOf(view);
		const accept: ToolFilter | undefined =
			test && ((name) => current !== undefined && filterOver(current, test)(name));
		const { answerSearchTool } = await import('./answer-search-tool.ts');
		const tools = async (): Promise<readonly ExposedTool[]> => {
			current = await searched.list();
			return this.#exposedOf(current);
		};
		const index = await this.#ranker();
		const { SkillSearch: Search } = await import('./skill-search.ts');
		const skillSearch = (this.#skills ??= new Search(this.#options.log));
		const found = (query: string, names: readonly string[]): void =>
			this.#usage.queries.searched(context.sessionId, query, names);
		const deps = { ...searched, tools, accept, index, skillSearch, found };
		return answerSearchTool(params, context, deps);
	}

	/** The best tools for the query of a user, over all tools of the hub. */
	async search(list: MergedList<Tool>, query: string, limit: number): Promise<SearchHit[]> {
		return (await this.#ranker()).search(await this.#exposedOf(list), { query, limit });
	}

	/** Build the index of these tools now, so that the first search does not wait for it. */
	async prepare(list: MergedList<Tool>): Promise<void> {
		await (await this.#ranker()).prepare(await this.#exposedOf(list));
	}

	/** A call of this tool succeeded; with its context it counts for the query that found the tool. */
	used(name: string, context?: CallContext): void {
		this.#usage.used(name);
		if (context) this.#usage.queries.called(context.sessionId, name);
	}

	/** The instructions of an agent that searches; undefined when it lists all tools. Never rejects. */
	async guide(sources: readonly Source[]): Promise<string | undefined> {
		const { toolList } = this.#options.settings();
		if (toolList.expose === 'all') return undefined;
		const isSearched = (tools: number): boolean => toolList.expose === 'search' || tools > this.#limit;
		const { searchGuide } = await import('./search-guide.ts');
		return searchGuide(sources, isSearched);
	}

	async #ranker(): Promise<ToolIndex> {
		const { ToolIndex: Index } = await import('./tool-index.ts');
		const { toolsInJournal } = await import('./tools-in-journal.ts');
		if (this.#index === undefined) this.#usage.recount(toolsInJournal(this.#options.journalFile));
		this.#index ??= new Index(this.#usage, this.#options.log, this.#options.embeddings);
		return this.#index;
	}

	/** The mode that the settings choose; undefined when the number of tools decides. */
	#chosenMode(context: CallContext): ExposeMode | undefined {
		const chosen = this.#clientOf(context)?.expose;
		if (chosen !== undefined) return chosen;
		return clientName(context) === 'mctl' ? 'all' : this.#options.settings().toolList.expose;
	}

	#modeOf(tools: number, context: CallContext): ExposeMode {
		const chosen = this.#chosenMode(context);
		if (chosen !== undefined) return chosen;
		return this.#modes.get(context.sessionId) ?? (tools > this.#limit ? 'search' : 'all');
	}

	/**
	 * Decided with the first list of a session: a list that becomes a search and then a list again costs the client
	 * more than either. A client that caches its first list finds servers that answer later by a search.
	 */
	#decideMode(tools: number, context: CallContext, absent: readonly AbsentServer[]): ExposeMode {
		const chosen = this.#chosenMode(context);
		if (chosen !== undefined) return chosen;
		const isStarting = absent.some(({ state }) => state === 'starting');
		const before = this.#modes.get(context.sessionId);
		const waitsLittle = agentNamed(clientName(context))?.firstWait !== undefined;
		const isIncomplete = isStarting && (before === 'search' || (before === undefined && waitsLittle));
		const limit = this.#limit * limitShares[before ?? 'first'];
		const mode = isIncomplete || tools > limit ? 'search' : 'all';
		this.#modes.set(context.sessionId, mode);
		return mode;
	}

	get #limit(): number {
		return this.#options.settings().toolList.exposeAbove ?? EXPOSE_ABOVE;
	}

	#filterOf(context: CallContext, list: MergedList<Tool>): ToolFilter | undefined {
		const view = this.viewOf(context);
		return view === undefined ? undefined : filterOver(list, this.#testOf(view));
	}

	/** Read once for a configuration: every call of a client with a view needs it. */
	#testOf(view: string): ToolTest {
		const settings = this.#options.settings();
		if (this.#read?.settings !== settings) this.#read = { settings, views: new Map() };
		const known = this.#read.views.get(view) ?? viewFilter(settings, view);
		this.#read.views.set(view, known);
		return known;
	}

	#clientOf(context: Pick<CallContext, 'clientInfo'>): ClientSettings | undefined {
		return ownEntry(this.#options.settings().clients, clientName(context));
	}
}

/** Patterns of the tools of servers that are always listed. */
function loadedServers(servers: Configuration['mcpServers']): string[] {
	return servers.filter(({ settings }) => settings.alwaysLoad).map(({ name }) => `${name}__*`);
}

/** The test of tools as a filter of their names in this list. `look` is in every view, and always listed: notices name it. */
function filterOver({ routes }: MergedList<Tool>, test: ToolTest): ToolFilter {
	return (name) => {
		const route = routes.get(name);
		return (
			route?.source.kind === 'results' || test(route?.toolName ?? { name, server: undefined, tool: name })
		);
	};
}

/** The source of a tool; that of a folder's own tools is called `tools`. */
function serverOf({ routes }: MergedList<Tool>, name: string): string {
	return routes.get(name)?.source.id ?? '';
}

/** The tools of a list with their servers, and what each server says of itself. */
async function exposedBy(list: MergedList<Tool>): Promise<readonly ExposedTool[]> {
	const sources = new Set([...list.routes.values()].map(({ source }) => source));
	const strings = await Promise.all(
		[...sources].map(async (source) => (await able(source, 'instructions')?.instructions()) ?? ''),
	);
	const about = new Map([...sources].map(({ id }, at) => [id, strings[at] ?? '']));
	return list.items.map((tool) => {
		const server = serverOf(list, tool.name);
		const isBuiltIn = list.routes.get(tool.name)?.source.kind === 'results';
		return { tool, server, about: about.get(server) ?? '', isBuiltIn };
	});
}
