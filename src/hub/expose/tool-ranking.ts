/* Ranks candidates again by what is known of tools and not of texts in general. */
import type { MatchReason, SearchHit } from '../../search/document.ts';
import { stem } from '../../search/text/stem.ts';
import { stopWords } from '../../search/text/stop-words.ts';
import { wordsOf } from '../../search/text/words.ts';
import { actionsIn, actionsOfTool } from './tool-actions.ts';
import { type OfferedTool, ownName } from './tool-document.ts';
import type { ToolUsage } from './tool-usage.ts';

/** What a name that the query covers adds to a score, as a share. */
const NAME_SHARE = 0.2;
/** What the right action adds, and what a wrong one takes away. */
const ACTION_SHARES = { right: 0.2, wrong: 0.1 };
/** What a server adds that the query names by a word of its tools, and what another one takes away. */
const SERVER_SHARES = { right: 0.5, wrong: 0.2 };
/** The same for a server that the query calls by its own name. */
const OWN_NAME_SHARES = { right: 0.5, wrong: 0.5 };
/** A name of a server that is in at most this part of the names of tools means the server. */
const OWN_NAME_PART = 0.003;
/** What a server adds whose tools match best, for one step, and for each of several: the steps of a task tend to need the same servers. */
const RELEVANCE_SHARES = { one: 0.3, several: 1 };
/** Most that successful calls add. */
const USAGE_SHARE = 0.06;
/** How well a word of the name is covered, by the kind of match. */
const coverage: Readonly<Record<MatchReason['kind'], number>> = {
	word: 1,
	phrase: 0,
	prefix: 0.7,
	typo: 0.8,
	related: 0.7,
	concept: 0.4,
	meaning: 0.4,
};
/** A word in so many of the names of a server says nothing about a tool. */
const COMMON_SHARE = 0.4;
/** The least number of tools for that. */
const COMMON_TOOLS = 5;

interface Slices {
	readonly isOver: boolean;
	next(): Promise<void>;
}

interface RankedTool {
	/** Stems of the words of its name, without those of its server. */
	readonly words: readonly string[];
	readonly server: string;
	/** Stems that name its server: its own name, and words that most of its tools share. */
	readonly serverWords: ReadonlySet<string>;
	readonly actions: readonly number[];
}

export class ToolRanking {
	readonly #tools = new Map<string, RankedTool>();
	readonly #usage: ToolUsage;
	/** Every word that names a server. */
	readonly #servers = new Set<string>();
	/** The number of names with each word. */
	readonly #counts = new Map<string, number>();

	private constructor(usage: ToolUsage) {
		this.#usage = usage;
	}

	/** Made in slices, one tool at least in each. */
	static async over(tools: readonly OfferedTool[], usage: ToolUsage, slices: Slices): Promise<ToolRanking> {
		const ranking = new ToolRanking(usage);
		const byServer = new Map<string, OfferedTool[]>();
		for (const offered of tools) {
			const group = byServer.get(offered.server);
			if (group) group.push(offered);
			else byServer.set(offered.server, [offered]);
		}
		for (const [server, group] of byServer) await ranking.#addServer(server, group, slices);
		return ranking;
	}

	/** The hits in their new order, with their new scores. */
	sort(hits: readonly SearchHit[], { query, context = query, related }: RankedQuery): SearchHit[] {
		const names = stemsOf(context.toLowerCase()).filter((word) => this.#servers.has(word));
		const asked: Asked = {
			words: new Set(stemsOf(query.toLowerCase())),
			servers: new Set(names),
			ownNames: new Set(names.filter((word) => this.#isServer(word))),
			actions: actionsIn(query),
		};
		const relevance = this.#relevanceOf(related);
		const share = related.length === 1 ? RELEVANCE_SHARES.one : RELEVANCE_SHARES.several;
		const serverPart = ({ id }: SearchHit): number =>
			1 + share * (relevance.get(this.#tools.get(id)?.server ?? '') ?? 0);
		return hits
			.map((hit) => ({ ...hit, score: hit.score * this.#factor(hit, asked) * serverPart(hit) }))
			.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
	}

	/** The query without the names of servers, which `sort` takes into account; as it is when nothing else is left. */
	subjectOf(query: string): string {
		const words = query.split(/\s+/);
		const rest = words.filter((word) => {
			const stems = stemsOf(word.toLowerCase());
			return !stems.some((each) => this.#isServer(each));
		});
		return rest.some((word) => !stopWords.has(word.toLowerCase())) ? rest.join(' ') : query;
	}

	/** True for a word that names a server and hardly occurs in names of tools besides. */
	#isServer(word: string): boolean {
		return this.#servers.has(word) && (this.#counts.get(word) ?? 0) <= OWN_NAME_PART * this.#tools.size;
	}

	/** How well the best tool of each server matches, from 0 to 1: the mean over the lists. */
	#relevanceOf(lists: readonly (readonly SearchHit[])[]): Map<string, number> {
		const sums = new Map<string, number>();
		for (const hits of lists) {
			const most = hits[0]?.score ?? 0;
			const seen = new Set<string>();
			for (const { id, score } of hits) {
				const { server } = this.#tools.get(id) ?? {};
				if (server === undefined || seen.has(server) || most === 0) continue;
				seen.add(server);
				sums.set(server, (sums.get(server) ?? 0) + score / most / lists.length);
			}
		}
		return sums;
	}

	#factor({ id, why }: SearchHit, asked: Asked): number {
		const tool = this.#tools.get(id);
		if (tool === undefined) return 1;
		return (
			(1 + NAME_SHARE * this.#coveredName(tool, why, asked)) *
			actionFactor(tool.actions, asked.actions) *
			serverFactor(tool, asked) *
			(1 + USAGE_SHARE * this.#usage.of(id))
		);
	}

	/** How much of the name the query has, weighted by rarity, from 0 to 1. */
	#coveredName({ words, actions }: RankedTool, why: readonly MatchReason[], asked: Asked): number {
		const hasAction = actions.some((action) => asked.actions.has(action));
		let held = 0;
		let all = 0;
		for (const [at, word] of words.entries()) {
			const isMet = asked.words.has(word) || (hasAction && at === 0);
			const rarity = this.#rarity(word);
			held += rarity * (isMet ? 1 : bestMatch(word, why));
			all += rarity;
		}
		return all === 0 ? 0 : held / all;
	}

	/** Of a word over the names of all tools. */
	#rarity(word: string): number {
		return Math.log(1 + this.#tools.size / (1 + (this.#counts.get(word) ?? 0)));
	}

	async #addServer(server: string, group: readonly OfferedTool[], slices: Slices): Promise<void> {
		const names: string[][] = [];
		const counts = new Map<string, number>();
		for (const { tool } of group) {
			if (slices.isOver) await slices.next();
			const words = [...new Set(stemsOf(ownName(tool.name)))];
			names.push(words);
			for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
		}
		const own = stemsOf(server);
		const isCommon = (word: string): boolean =>
			group.length >= COMMON_TOOLS && (counts.get(word) ?? 0) / group.length >= COMMON_SHARE;
		for (const [at, { tool }] of group.entries()) {
			if (slices.isOver) await slices.next();
			const words = names[at] ?? [];
			const serverWords = new Set([...own, ...words.filter(isCommon)]);
			for (const word of serverWords) this.#servers.add(word);
			for (const word of words.filter((each) => !isCommon(each)))
				this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
			this.#tools.set(tool.name, {
				words: words.filter((word) => !isCommon(word)),
				server,
				serverWords,
				actions: actionsOfTool(ownName(tool.name)),
			});
		}
	}
}

/** What to rank by. */
export interface RankedQuery {
	readonly query: string;
	/** The whole query, when `query` is a step of it. */
	readonly context?: string;
	/** The hits of the query, or of all steps of its context, best first. */
	readonly related: readonly (readonly SearchHit[])[];
}

/** What a query asks for. */
interface Asked {
	/** Stems of its words. */
	readonly words: ReadonlySet<string>;
	/** Those that name a server. */
	readonly servers: ReadonlySet<string>;
	/** Those of them that mean nothing else. */
	readonly ownNames: ReadonlySet<string>;
	readonly actions: ReadonlySet<number>;
}

/** How well a reason covers a word of the name. */
function bestMatch(word: string, why: readonly MatchReason[]): number {
	const kinds = why
		.filter(({ matched }) => stemsOf(matched).includes(word))
		.map(({ kind }) => coverage[kind]);
	return Math.max(0, ...kinds);
}

function serverFactor({ serverWords }: RankedTool, { servers, ownNames }: Asked): number {
	if (servers.size === 0) return 1;
	const [asked, shares] = ownNames.size > 0 ? [ownNames, OWN_NAME_SHARES] : [servers, SERVER_SHARES];
	return [...serverWords].some((word) => asked.has(word)) ? 1 + shares.right : 1 - shares.wrong;
}

function actionFactor(own: readonly number[], asked: ReadonlySet<number>): number {
	if (own.length === 0 || asked.size === 0) return 1;
	return own.some((action) => asked.has(action)) ? 1 + ACTION_SHARES.right : 1 - ACTION_SHARES.wrong;
}

function stemsOf(text: string): string[] {
	return wordsOf(text.replace(/[^\p{L}\p{N}]+/gu, ' ')).map((word) => stem(word));
}
