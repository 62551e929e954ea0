/*
 * The index over the tools of the hub. It is built with the first search and compared
 * with the list at each search, so a change of the list costs nothing before that.
 *
 * The ranker finds candidates by their words and meaning. They are ranked again by what
 * is known of tools: how much of the name the query covers, the action of the verb, the
 * server that the query names or means, and a little by successful calls. A query of
 * several steps is searched step by step, and the answers are interleaved.
 *
 * A long list is indexed in slices, so that the event loop runs between them. Searches
 * run one after the other: none sees an index that is half of one list and half of another.
 */
import { searchDataSteps } from '../../library/match/search-data.ts';
import type { Log } from '../../log.ts';
import { SLICE_MS, WorkSlices } from '../../rpc/work-slices.ts';
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
	/** Settles with the last search; never rejects. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(usage: ToolUsage, log: Log) {
		this.#usage = usage;
		this.#log = log;
	}

	/** The best tools for a query, best first. `tools` is the whole list; the same array is not compared again. */
	async search(tools: readonly OfferedTool[], query: ToolQuery): Promise<SearchHit[]> {
		const found = this.#last.then(async () => {
			const { index, ranking } = await this.#updated(tools);
			return bestTools(index, ranking, query);
		});
		this.#last = found.catch(() => undefined); // the caller gets the error
		return found;
	}

	async #updated(tools: readonly OfferedTool[]): Promise<{ index: SearchIndex; ranking: ToolRanking }> {
		if (this.#index === undefined) {
			const index = new SearchIndex(toolFields, {
				similarityFloor: SIMILARITY_FLOOR,
				vectorSaturation: VECTOR_SATURATION,
			});
			const slices = new WorkSlices();
			for (const _ of searchDataSteps(index, this.#log)) if (slices.isOver) await slices.next();
			this.#index = index;
		}
		if (this.#tools !== tools || this.#ranking === undefined) {
			this.#tools = undefined; // until the update is complete
			await this.#update(this.#index, tools);
			this.#ranking = await ToolRanking.over(tools, this.#usage, new WorkSlices());
			this.#tools = tools;
		}
		return { index: this.#index, ranking: this.#ranking };
	}

	/** Removals first: they settle what earlier additions left to do. */
	async #update(index: SearchIndex, tools: readonly OfferedTool[]): Promise<void> {
		const slices = new WorkSlices();
		const names = new Set(tools.map(({ tool }) => tool.name));
		for (const name of [...this.#texts.keys()].filter((each) => !names.has(each))) {
			this.#texts.delete(name);
			index.remove(name);
			if (slices.isOver) await slices.next();
		}
		for (const offered of tools) {
			if (slices.isOver) await slices.next();
			const { name } = offered.tool;
			const text = JSON.stringify(offered);
			if (this.#texts.get(name) === text) continue;
			this.#texts.set(name, text);
			index.add(toolDocument(offered));
		}
		while (!index.prepare(SLICE_MS)) await slices.next();
	}
}

function bestTools(
	index: SearchIndex,
	ranking: ToolRanking,
	{ query, limit, accept }: ToolQuery,
): SearchHit[] {
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
