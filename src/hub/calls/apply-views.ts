/* What a client sees of the tools, and the search tools in place of many. */

import { after } from '../../mcp/server/methods.ts';
import type { CallToolParams } from '../../mcp/server/provider.ts';
import type { Item } from '../../protocol/item-lists.ts';
import { type Answer, type Awaitable, answerValue, type Tool } from '../../protocol/mcp-types.ts';
import { memoized } from '../../wire/memoized.ts';
import { absentServers, isAnyStarting } from '../absent-servers.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FirstLists } from '../catalogue/first-lists.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import { isSearchTool } from '../expose/search-tools.ts';
import type { ToolExposure } from '../expose/tool-exposure.ts';
import type { Source } from '../source.ts';
import { isForPages } from './adapt-apps.ts';
import { HubCall } from './hub-call.ts';
import { skillsSoon } from './match-skills.ts';
import { aroundCalls, type Handler, type Middleware } from './middleware.ts';

export interface SearchDeps {
	/** Undefined when clients see all tools. */
	readonly exposure: ToolExposure | undefined;
	readonly firstLists: FirstLists;
	readonly catalogue: Catalogue;
	readonly sources: () => readonly Source[];
	/** A sentence about servers that the user has to trust first. */
	readonly untrusted: () => string | undefined;
}

/** Lists for the client of a request, and the answers of the search tools. */
export function addSearchTools(deps: SearchDeps): Middleware {
	const { exposure, firstLists, catalogue, sources, untrusted } = deps;
	return (inner) => ({
		list(kind, reader) {
			const context = reader?.context;
			const load = (): ReturnType<Handler['list']> => inner.list(kind, reader);
			if (context === undefined) return load();
			if (kind !== 'tools') return firstLists.list(kind, context, load);
			const soFar = (): ReturnType<Handler['list']> | undefined =>
				exposure?.maySearch(context) && isAnyStarting(sources())
					? inner.list(kind, { ...reader, client: reader?.client ?? '', soFar: true })
					: undefined;
			const listed = firstLists.list(kind, context, load, soFar);
			if (exposure === undefined) return listed;
			return after(listed, (list) => {
				const items = exposure.visible(toolsOf(list), context, absentServers(sources()));
				return { ...list, items };
			});
		},

		request(call) {
			const { request, client, context } = call;
			if (exposure === undefined || call.isRouted) return inner.request(call);
			if (request.method !== 'tools/call' || !isSearchTool(call.name)) return inner.request(call);
			const list = (): Awaitable<MergedList<Tool>> =>
				after(inner.list('tools', { client, context }), forModels);
			return after(list(), (tools) => {
				if (!exposure.isSearch(call.name, tools, context)) return inner.request(call);
				return exposure.answer(request.params, context, {
					list,
					absent: () => absentServers(sources()),
					untrusted,
					nextAnswer: () => catalogue.nextAnswer('tools'),
					skills: () => skillsSoon(inner.list('skills', { client, context })),
					// Found and made like any other call.
					call: (params: CallToolParams): Awaitable<Answer> =>
						inner.request(new HubCall({ ...request, params })),
				});
			});
		},
	});
}

/** Refuse a tool outside of the view of its client, and count the others for the search. */
export function applyViews(exposure: ToolExposure): Middleware {
	return aroundCalls((call, inner) => {
		const { name, context } = call;
		if (call.method !== 'tools/call' || call.target.way) return inner.request(call);
		if (!call.isSent && call.target.source.kind !== 'results')
			exposure.assertVisible(name, call.toolName, context);
		return after(inner.request(call), (answer) => {
			if (call.tool && call.target.source.kind !== 'results' && answerValue(answer)['isError'] !== true)
				exposure.used(name, context);
			return answer;
		});
	});
}

/** Tools for pages are not for a model that searches. */
function forModels(list: MergedList<Item>): MergedList<Tool> {
	const tools = toolsOf(list);
	return tools.items.some(isForPages) ? withoutPageTools(tools) : tools;
}

/** Keyed by the list that it is made of: an index compares it. */
const withoutPageTools = memoized((tools: MergedList<Tool>): MergedList<Tool> => {
	return { ...tools, items: tools.items.filter((tool) => !isForPages(tool)) };
});

/** The list as tools. */
function toolsOf(list: MergedList<Item>): MergedList<Tool> {
	return list as MergedList<Tool>;
}
