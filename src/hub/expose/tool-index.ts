/*
 * The index over the tools of the hub. It is built with the first search and compared
 * with the list at each search, so a change of the list costs nothing before that.
 *
 * The ranker finds candidates by their words and meaning. They are ranked again by what
 * is known of tools: how much of the name the query covers, the action of the verb, the
 * server that the query names or means, and a little by successful calls. A query of
 * several steps is searched step by step, and the answers are interleaved.
 */
import { loadSearchData } from '../../library/match/search-data.ts';
import type { Log } from '../../log.ts';
import type { SearchHit } from '../../search/document.ts';
import { SearchIndex } from '../../search/index/search-index.ts';
import { stepsOf, translated } from './query-words.ts';
import { type OfferedTool, toolDocument, toolFields } from './tool-document.ts';
import type { ToolFilter } from './tool-filter.ts';
import { ToolRanking } from './tool-ranking.ts';
import type { ToolUsage } from './tool-usage.ts';

/** Candidates that are ranked again. */
const CANDIDATES = 100;

/** Cosine similarity that counts as 0: tools of many trades have less in common than the texts of a library. */
const SIMILARITY_FLOOR = 0.1;
/** A name and a summary say more about a tool than a long description does. */
const VECTOR_SATURATION = 4;
/** Part of the score for the whole query in the score of a step. */
const CONTEXT_SHARE = 0.25;

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
	#ranking: ToolRanking | undefined;

	constructor(usage: ToolUsage, log: Log) {
		this.#usage = usage;
		this.#log = log;
	}

	/** The best tools for a query, best first. `tools` is the whole list; the same array is not compared again. */
	search(tools: readonly OfferedTool[], { query, limit, accept }: ToolQuery): SearchHit[] {
		const { index, ranking } = this.#updated(tools);
		const find = (text: string): SearchHit[] =>
			index.search(ranking.subjectOf(text), { limit: CANDIDATES, accept }).hits;
		const spelled = withoutHumps(query, index);
		const asked = translated(spelled);
		const whole = find(asked);
		const steps = stepsOf(spelled);
		if (steps.length === 1) return ranking.sort(whole, { query: asked, related: [whole] }).slice(0, limit);
		const found = steps.map(translated).map((step) => ({ step, hits: find(step) }));
		const related = found.map(({ hits }) => hits);
		const lists = found.map(({ step, hits }) => {
			return ranking.sort(withContext(hits, whole), { query: step, context: asked, related });
		});
		return interleave(lists, limit);
	}

	#updated(tools: readonly OfferedTool[]): { index: SearchIndex; ranking: ToolRanking } {
		if (this.#index === undefined) {
			this.#index = new SearchIndex(toolFields, {
				similarityFloor: SIMILARITY_FLOOR,
				vectorSaturation: VECTOR_SATURATION,
			});
			loadSearchData(this.#index, this.#log);
		}
		if (this.#tools !== tools) this.#update(this.#index, tools);
		this.#tools = tools;
		this.#ranking ??= new ToolRanking(tools, this.#usage);
		return { index: this.#index, ranking: this.#ranking };
	}

	#update(index: SearchIndex, tools: readonly OfferedTool[]): void {
		this.#ranking = undefined;
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

/** `GitHub` is one word where the tools know it as one; `getUser` stays two. */
function withoutHumps(query: string, index: SearchIndex): string {
	return query.replace(/\p{L}*\p{Ll}\p{Lu}\p{L}*/gu, (word) => {
		const whole = word.toLowerCase();
		return index.knows(whole) ? whole : word;
	});
}

/** The hits of a step, with a part of their score for the whole query: "read its logs" needs the noun before it. */
function withContext(hits: readonly SearchHit[], whole: readonly SearchHit[]): SearchHit[] {
	const scores = new Map(whole.map(({ id, score }) => [id, score]));
	return hits.map((hit) => ({ ...hit, score: hit.score + CONTEXT_SHARE * (scores.get(hit.id) ?? 0) }));
}

/** The first of each list, then the second of each, without repeats. */
function interleave(lists: readonly SearchHit[][], limit: number): SearchHit[] {
	const found = new Map<string, SearchHit>();
	for (let rank = 0; found.size < limit && lists.some((list) => rank < list.length); rank++) {
		for (const list of lists) {
			const hit = list[rank];
			if (hit && !found.has(hit.id) && found.size < limit) found.set(hit.id, hit);
		}
	}
	return [...found.values()];
}
