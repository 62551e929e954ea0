/*
 * The index over the tools of the hub. It is built with the first search and compared
 * with the list at each search, so a change of the list costs nothing before that.
 *
 * Tools are ranked as the documents of a library are (`search/index/fusion.ts`), and a
 * little by successful calls. A query of several clauses is searched clause by clause, so
 * that the first answers hold the best of each; the whole query and the task of the
 * agent are the context of each, and the servers that fit all clauses count in each.
 *
 * A long list is indexed in slices, so that the event loop runs between them. Searches
 * run one after the other: none sees an index that is half of one list and half of another.
 */

import type { Nearness } from '../../library/embeddings/embeddings.ts';
import type { OpenEmbeddings } from '../../library/embeddings/open-embeddings.ts';
import { bundledFile } from '../../library/files/bundled-file.ts';
import { searchDataSteps } from '../../library/match/search-data.ts';
import type { Log } from '../../log.ts';
import { inOrder } from '../../rpc/in-order.ts';
import { SLICE_MS } from '../../rpc/rpc-limits.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import type { MatchReason, Ranking, SearchHit } from '../../search/document.ts';
import { SearchIndex } from '../../search/index/search-index.ts';
import { stopWords } from '../../search/text/stop-words.ts';
import { wordsOf } from '../../search/text/words.ts';
import { memoized } from '../../wire/memoized.ts';
import { QUERY_CLAUSE_LIMIT, SINGLE_TERMS_LIMIT } from './expose-limits.ts';
import { type ExposedTool, embeddedTool, toolDocument, toolFields } from './tool-document.ts';
import type { ToolFilter } from './tool-filter.ts';
import type { ToolUsage } from './tool-usage.ts';

/** Hits of the whole query or task that are the context of a clause. */
const CONTEXT_HITS = 100;
/** Most that successful calls add to a score, and most that those after similar queries do. */
const USAGE_SHARE = 0.06;
const SIMILAR_SHARE = 0.12;
/** The score of a tool that has nothing but a name counts so much: one word of it that fits may be chance. */
const BARE_SHARE = 0.8;
/** Whatever was called before, tools that the query names stay among so many. */
const NAMED_WITHIN = 5;
/** Cosine similarity that counts as 0: tools of many trades have less in common than the documents of a library. */
const SIMILARITY_FLOOR = 0.1;
/** A name and a summary say more about a tool than a long description does. */
const VECTOR_SATURATION = 4;
/** Part of the score for the whole query, or for the task, in the score of a clause. */
const CONTEXT_SHARE = 0.8;
/** The bonus that a server which fits every clause adds to the score of its tools, as a share: the steps of a task tend to need the same servers. */
const SERVER_SHARE = 2.5;

/** Between the clauses of a query, not within `4.2`, `a.txt` and `12:30`. */
const SEPARATOR = /[,;:.!?](?=\s|$)|\n+|\s(?:and then|and|then|und|dann|y|luego|et|puis|e poi)\s/gi;

type RankedTool = Ranking['ranked'][number];

export interface ToolQuery {
	readonly query: string;
	/** The whole request that the query is a part of. */
	readonly task?: string | undefined;
	readonly limit: number;
	/** The tools that may be found. Default: all. */
	readonly accept?: ToolFilter | undefined;
}

export class ToolIndex {
	readonly #log: Log;
	readonly #usage: ToolUsage;
	/** The indexed tools as JSON, by name. */
	readonly #strings = new Map<string, string>();
	/** The server of each of them. */
	readonly #servers = new Map<string, string>();
	/** The tools without a description. */
	readonly #bare = new Set<string>();
	readonly #embeddings: OpenEmbeddings;
	/** The same array for the same list. */
	readonly #embeddedTools = memoized((tools: readonly ExposedTool[]) =>
		tools.filter(({ isBuiltIn = false }) => !isBuiltIn).map(embeddedTool),
	);
	#index: SearchIndex | undefined;
	#tools: readonly ExposedTool[] | undefined;
	/** Searches and preparations, one after the other. */
	readonly #inOrder = inOrder();

	/** @param embeddings the model that the user chose, if any */
	constructor(usage: ToolUsage, log: Log, embeddings: OpenEmbeddings = async () => undefined) {
		this.#usage = usage;
		this.#log = log;
		this.#embeddings = embeddings;
	}

	/** The best tools for a query, best first. `tools` is the whole list; the same array is not compared again. */
	search(tools: readonly ExposedTool[], query: ToolQuery): Promise<SearchHit[]> {
		return this.#inOrder(async () => {
			const index = await this.#updated(tools);
			const nearness = await (await this.#embeddings())?.nearness(query.query, this.#embeddedTools(tools));
			return this.#bestTools(index, query, nearness);
		});
	}

	/** Index these tools: a search that follows does not wait for it. */
	prepare(tools: readonly ExposedTool[]): Promise<void> {
		return this.#inOrder(async () => void (await this.#updated(tools)));
	}

	async #updated(tools: readonly ExposedTool[]): Promise<SearchIndex> {
		if (this.#index === undefined) {
			const index = new SearchIndex(toolFields, {
				similarityFloor: SIMILARITY_FLOOR,
				vectorSaturation: VECTOR_SATURATION,
			});
			const slices = new WorkSlices();
			const files = { moreConcepts: bundledFile('tool-concepts.txt') };
			for (const _ of searchDataSteps(index, this.#log, files)) if (slices.isOver) await slices.next();
			this.#index = index;
		}
		if (this.#tools !== tools) {
			this.#tools = undefined; // until the update is complete
			await this.#update(this.#index, tools);
			this.#tools = tools;
		}
		return this.#index;
	}

	/** Removals first: they settle what earlier additions left to do. */
	async #update(index: SearchIndex, listed: readonly ExposedTool[]): Promise<void> {
		const slices = new WorkSlices();
		const tools = listed.filter(({ isBuiltIn = false }) => !isBuiltIn);
		const names = new Set(tools.map(({ tool }) => tool.name));
		for (const name of [...this.#strings.keys()].filter((each) => !names.has(each))) {
			this.#strings.delete(name);
			this.#servers.delete(name);
			this.#bare.delete(name);
			index.remove(name);
			if (slices.isOver) await slices.next();
		}
		for (const exposed of tools) {
			if (slices.isOver) await slices.next();
			const { name } = exposed.tool;
			const text = JSON.stringify(exposed);
			if (this.#strings.get(name) === text) continue;
			this.#strings.set(name, text);
			this.#servers.set(name, exposed.server);
			if (exposed.tool.description?.trim()) this.#bare.delete(name);
			else this.#bare.add(name);
			index.add(toolDocument(exposed));
		}
		while (!index.prepare(SLICE_MS)) await slices.next();
	}

	#bestTools(
		index: SearchIndex,
		{ query, task, limit, accept }: ToolQuery,
		nearness: Nearness | undefined,
	): SearchHit[] {
		const rank = (text: string, near?: Nearness): Ranking =>
			index.rank(text, { limit: CONTEXT_HITS, accept, nearness: near });
		const find = (text: string, near?: Nearness): Ranking => {
			const terms = withoutHumps(text, index);
			const found = rank(terms, near);
			return found.ranked.length > 0 ? found : rankedByTerms(terms, rank);
		};
		const clauses = clausesOf(query);
		const found = clauses.length === 1 ? [] : clauses.map((clause) => find(clause).ranked);
		const context = task === undefined || task === query ? [] : find(task).ranked;
		// The last search: its reasons are those of the answer.
		const { ranked: whole, named, explain } = find(query, nearness);
		const [fits, useful] = [this.#fitOfServers(found), this.#usage.queries.similarTo(query)];
		const sort = (hits: readonly RankedTool[]): RankedTool[] => this.#sort(hits, fits, useful);
		const lists = found.map((hits) => sort(withContext(withContext(hits, whole), context)));
		const best =
			found.length === 0
				? withNamed(sort(withContext(whole, context)), named).slice(0, limit)
				: interleave(lists, limit);
		const used = (id: string): MatchReason[] =>
			useful.has(id) ? [{ word: 'used', matched: 'used', kind: 'usage', fields: [] }] : [];
		return best.map((hit) => ({ ...hit, why: [...used(hit.id), ...explain(hit.id)] }));
	}

	/** Successful calls decide between tools that match nearly as well. */
	#sort(
		hits: readonly RankedTool[],
		fits: ReadonlyMap<string, number>,
		useful: ReadonlyMap<string, number>,
	): RankedTool[] {
		const matchOf = ({ id, score }: RankedTool): number =>
			score *
			(this.#bare.has(id) ? BARE_SHARE : 1) *
			(1 + SERVER_SHARE * (fits.get(this.#serverOf(id)) ?? 0));
		const usageOf = ({ id }: RankedTool): number =>
			1 + USAGE_SHARE * this.#usage.of(id) + SIMILAR_SHARE * (useful.get(id) ?? 0);
		return hits
			.map((hit) => ({ hit, worth: matchOf(hit) * usageOf(hit) }))
			.sort((a, b) => b.worth - a.worth)
			.map(({ hit }) => hit);
	}

	/** How well the best tool of each server fits a clause beside the best of all, from 0 to 1: the mean over the clauses. */
	#fitOfServers(lists: readonly (readonly RankedTool[])[]): Map<string, number> {
		const sums = new Map<string, number>();
		for (const hits of lists) {
			const byScore = [...hits].sort((a, b) => a.score - b.score);
			const most = byScore.at(-1)?.score || 1;
			const best = new Map(byScore.map(({ id, score }) => [this.#serverOf(id), score / most]));
			for (const [server, fit] of best) sums.set(server, (sums.get(server) ?? 0) + fit / lists.length);
		}
		return sums;
	}

	#serverOf(name: string): string {
		return this.#servers.get(name) ?? '';
	}
}

/**
 * The clauses of a query that asks for several things; the query alone when it asks for one. A part without a word
 * that means something belongs to the part before it; "retry it" is a clause, and the context says what it retries.
 */
function clausesOf(query: string): string[] {
	const parts = query
		.replace(/"[^"]*"/g, (quoted) => quoted.replace(SEPARATOR, ' '))
		.split(SEPARATOR)
		.map((part) => part.trim())
		.filter((part) => part !== '');
	const clauses: string[] = [];
	for (const part of parts) {
		const last = clauses.at(-1);
		if (last !== undefined && (isEmpty(part) || isEmpty(last)))
			clauses[clauses.length - 1] = `${last} ${part}`;
		else clauses.push(part);
	}
	return clauses.length < 2 ? [query] : clauses.slice(0, QUERY_CLAUSE_LIMIT);
}

function isEmpty(part: string): boolean {
	return !wordsOf(part).some((word) => !stopWords.has(word) && /\p{L}{2}/u.test(word));
}

/** The hits of the terms one by one: a term that occurs nowhere can push all tools below the least similarity. */
function rankedByTerms(query: string, rank: (term: string) => Ranking): Ranking {
	const terms = [...new Set(query.split(/[^\p{L}\p{N}]+/u))].filter((term) => term.length > 1);
	const best = new Map<string, RankedTool & { why: MatchReason[] }>();
	for (const term of terms.length < 2 ? [] : terms.slice(0, SINGLE_TERMS_LIMIT)) {
		const { ranked, explain } = rank(term);
		for (const { id, score } of ranked)
			if ((best.get(id)?.score ?? 0) < score) best.set(id, { id, score, why: explain(id) });
	}
	const ranked = [...best.values()].sort((one, other) => other.score - one.score);
	return { ranked, named: new Set(), total: ranked.length, explain: (id) => best.get(id)?.why ?? [] };
}

/** `GitHub` is one word where the tools know it as one; `getUser` stays two. */
function withoutHumps(query: string, index: SearchIndex): string {
	return query.replace(/\p{L}*\p{Ll}\p{Lu}\p{L}*/gu, (word) => {
		const whole = word.toLowerCase();
		return index.knows(whole) ? whole : word;
	});
}

/** The hits of a clause, with a part of their score for the whole query: "read its logs" needs the noun before it. */
function withContext(hits: readonly RankedTool[], whole: readonly RankedTool[]): RankedTool[] {
	const scores = new Map(whole.map(({ id, score }) => [id, score]));
	return hits.map((hit) => ({ ...hit, score: hit.score + CONTEXT_SHARE * (scores.get(hit.id) ?? 0) }));
}

/** Named tools that others passed come back to the last places where they belong. */
function withNamed(hits: readonly RankedTool[], named: ReadonlySet<string>): RankedTool[] {
	const late = hits.filter(({ id }, at) => at >= NAMED_WITHIN && named.has(id));
	const others = hits.filter((hit) => !late.includes(hit));
	const place = NAMED_WITHIN - late.length;
	return [...others.slice(0, place), ...late, ...others.slice(place)];
}

/** The first of each list, then the second of each, without repeats. */
function interleave(lists: readonly RankedTool[][], limit: number): RankedTool[] {
	const found = new Map<string, RankedTool>();
	for (let rank = 0; found.size < limit && lists.some((list) => rank < list.length); rank++) {
		for (const list of lists) {
			const hit = list[rank];
			if (hit && !found.has(hit.id) && found.size < limit) found.set(hit.id, hit);
		}
	}
	return [...found.values()];
}
