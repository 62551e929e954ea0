/*
 * The index over the tools of the hub. It is built with the first search and compared
 * with the list at each search, so a change of the list costs nothing before that.
 * Tools that were called successfully rank a little higher.
 */

import { loadSearchData } from '../../library/match/search-data.ts';
import type { Log } from '../../log.ts';
import type { SearchHit } from '../../search/document.ts';
import { SearchIndex } from '../../search/index/search-index.ts';
import { type OfferedTool, toolDocument, toolFields } from './tool-document.ts';
import type { ToolFilter } from './tool-filter.ts';
import type { ToolUsage } from './tool-usage.ts';

/** Most of a score that successful calls add, as a share. */
const USAGE_SHARE = 0.06;
/** Tools that are ranked again by their usage, beyond the number asked for. */
const FURTHER = 20;
export interface ToolQuery {
	readonly query: string;
	readonly limit: number;
	readonly accept: ToolFilter;
}

export class ToolIndex {
	readonly #log: Log;
	readonly #usage: ToolUsage;
	/** The indexed tools as JSON, by name. */
	readonly #texts = new Map<string, string>();
	#index: SearchIndex | undefined;
	#tools: readonly OfferedTool[] | undefined;

	constructor(usage: ToolUsage, log: Log) {
		this.#usage = usage;
		this.#log = log;
	}

	/** The best tools for a query, best first. `tools` is the whole list; the same array is not compared again. */
	search(tools: readonly OfferedTool[], { query, limit, accept }: ToolQuery): SearchHit[] {
		const index = this.#updated(tools);
		const { hits } = index.search(query, { limit: limit + FURTHER, accept });
		return hits
			.map((hit) => ({ ...hit, score: hit.score * (1 + USAGE_SHARE * this.#usage.of(hit.id)) }))
			.sort((a, b) => b.score - a.score)
			.slice(0, limit);
	}

	#updated(tools: readonly OfferedTool[]): SearchIndex {
		if (this.#index === undefined) {
			this.#index = new SearchIndex(toolFields);
			loadSearchData(this.#index, this.#log);
		}
		if (this.#tools !== tools) this.#update(this.#index, tools);
		this.#tools = tools;
		return this.#index;
	}

	#update(index: SearchIndex, tools: readonly OfferedTool[]): void {
		const gone = new Set(this.#texts.keys());
		for (const offered of tools) {
			const { name } = offered.tool;
			gone.delete(name);
			const text = JSON.stringify(offered);
			if (this.#texts.get(name) === text) continue;
			this.#texts.set(name, text);
			index.add(toolDocument(offered));
		}
		for (const name of gone) {
			this.#texts.delete(name);
			index.remove(name);
		}
	}
}
