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
/** What the server that the query names adds, and what another one takes away. */
const SERVER_SHARES = { right: 0.5, wrong: 0.2 };
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

interface RankedTool {
	/** Stems of the words of its name, without those of its server. */
	readonly words: readonly string[];
	/** Stems that name its server: its own name, and words that most of its tools share. */
	readonly server: ReadonlySet<string>;
	readonly actions: readonly number[];
}

export class ToolRanking {
	readonly #tools = new Map<string, RankedTool>();
	readonly #usage: ToolUsage;
	/** Every word that names a server. */
	readonly #servers = new Set<string>();
	/** The number of names with each word. */
	readonly #counts = new Map<string, number>();

	constructor(tools: readonly OfferedTool[], usage: ToolUsage) {
		this.#usage = usage;
		const byServer = new Map<string, OfferedTool[]>();
		for (const offered of tools) {
			const group = byServer.get(offered.server);
			if (group) group.push(offered);
			else byServer.set(offered.server, [offered]);
		}
		for (const [server, group] of byServer) this.#addServer(server, group);
	}

	/** The hits in their new order, with their new scores. `context` is the whole query when `query` is a step of it. */
	sort(hits: readonly SearchHit[], query: string, context: string = query): SearchHit[] {
		const asked: Asked = {
			words: new Set(stemsOf(query.toLowerCase())),
			servers: new Set(stemsOf(context.toLowerCase()).filter((word) => this.#servers.has(word))),
			actions: actionsIn(query),
		};
		return hits
			.map((hit) => ({ ...hit, score: hit.score * this.#factor(hit, asked) }))
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

	/** True for a word that names a server and occurs in the name of no tool besides. */
	#isServer(word: string): boolean {
		return this.#servers.has(word) && !this.#counts.has(word);
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

	#addServer(server: string, group: readonly OfferedTool[]): void {
		const names = group.map(({ tool }) => new Set(stemsOf(ownName(tool.name))));
		const counts = new Map<string, number>();
		for (const word of names.flatMap((each) => [...each])) counts.set(word, (counts.get(word) ?? 0) + 1);
		const isCommon = (word: string): boolean =>
			group.length >= COMMON_TOOLS && (counts.get(word) ?? 0) / group.length >= COMMON_SHARE;
		for (const [at, { tool }] of group.entries()) {
			const words = [...(names[at] ?? [])];
			const serverWords = new Set([...stemsOf(server), ...words.filter(isCommon)]);
			for (const word of serverWords) this.#servers.add(word);
			for (const word of words.filter((each) => !isCommon(each)))
				this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
			this.#tools.set(tool.name, {
				words: words.filter((word) => !isCommon(word)),
				server: serverWords,
				actions: actionsOfTool(ownName(tool.name)),
			});
		}
	}
}

/** What a query asks for. */
interface Asked {
	/** Stems of its words. */
	readonly words: ReadonlySet<string>;
	/** Those that name a server. */
	readonly servers: ReadonlySet<string>;
	readonly actions: ReadonlySet<number>;
}

/** How well a reason covers a word of the name. */
function bestMatch(word: string, why: readonly MatchReason[]): number {
	const kinds = why
		.filter(({ matched }) => stemsOf(matched).includes(word))
		.map(({ kind }) => coverage[kind]);
	return Math.max(0, ...kinds);
}

function serverFactor({ server }: RankedTool, { servers }: Asked): number {
	if (servers.size === 0) return 1;
	return [...server].some((word) => servers.has(word)) ? 1 + SERVER_SHARES.right : 1 - SERVER_SHARES.wrong;
}

function actionFactor(own: readonly number[], asked: ReadonlySet<number>): number {
	if (own.length === 0 || asked.size === 0) return 1;
	return own.some((action) => asked.has(action)) ? 1 + ACTION_SHARES.right : 1 - ACTION_SHARES.wrong;
}

function stemsOf(text: string): string[] {
	return wordsOf(text.replace(/[^\p{L}\p{N}]+/gu, ' ')).map((word) => stem(word));
}
