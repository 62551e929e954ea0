/*
 * Which tools were called with success after which queries, in this project: a tool that helped
 * before rises a little for a similar query. It is a hint: bounded in size, in weight and in
 * age, stored in one file, and nothing without it.
 */
import { dirname, join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { sha256 } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { stem } from '../../search/text/stem.ts';
import { stopWords } from '../../search/text/stop-words.ts';
import { wordsOf } from '../../search/text/words.ts';
import { isObject } from '../../wire/json.ts';

/** Most queries that are stored, the least recently useful go first. */
const RETAINED_USES = 500;
/** Terms of a query that are stored. */
const RETAINED_TERMS = 12;
/** Last queries of a session that a call may belong to, and most sessions. */
const QUERIES_A_SESSION = 4;
const SESSIONS = 200;
/** Queries with a smaller share of their terms in common have nothing to do with each other. */
const LEAST_ALIKE = 0.5;
/** Uses after which more of them add nothing. */
const FULL_USES = 4;

/** A query that led to a successful call. */
interface Use {
	readonly words: readonly string[];
	readonly tool: string;
	uses: number;
}

interface Search {
	readonly words: readonly string[];
	readonly found: ReadonlySet<string>;
}

/** The file of a project. */
export function usageFileOf(root: string, environment: Readonly<NodeJS.ProcessEnv>): string {
	return join(stateFolder(environment), 'usage', `${sha256(root).slice(0, 32)}.json`);
}

export class QueryUsage {
	readonly #file: string | undefined;
	/** Keyed by query and tool, the last used last; read with the first use. */
	#uses: Map<string, Use> | undefined;
	/** The last queries of each session, the last first. */
	readonly #searches = new BoundedMap<string, Search[]>(SESSIONS);

	/** @param file undefined: stored in memory only */
	constructor(file?: string) {
		this.#file = file;
	}

	/** A session searched and was shown these tools. */
	searched(sessionId: string, query: string, found: readonly string[]): void {
		const words = stemsOf(query);
		if (words.length === 0) return;
		const before = this.#searches.get(sessionId) ?? [];
		this.#searches.set(sessionId, [{ words, found: new Set(found) }, ...before].slice(0, QUERIES_A_SESSION));
	}

	/** A call of a session succeeded. It counts for the last query that found the tool. */
	called(sessionId: string, tool: string): void {
		const query = this.#searches.get(sessionId)?.find(({ found }) => found.has(tool));
		if (query === undefined) return;
		const uses = this.#read();
		const key = JSON.stringify([query.words, tool]);
		const known = uses.get(key);
		uses.set(key, { words: query.words, tool, uses: Math.min(FULL_USES, (known?.uses ?? 0) + 1) });
		if (known?.uses !== FULL_USES) this.#write();
	}

	/** The tools that helped with similar queries, each with a weight above 0 and at most 1. */
	similarTo(query: string): ReadonlyMap<string, number> {
		const words = new Set(stemsOf(query));
		const found = new Map<string, number>();
		for (const { words: own, tool, uses } of words.size === 0 ? [] : this.#read().values()) {
			const common = own.filter((word) => words.has(word)).length;
			const alike = common / (own.length + words.size - common);
			if (alike < LEAST_ALIKE) continue;
			const weight = alike * Math.sqrt(uses / FULL_USES);
			found.set(tool, Math.max(found.get(tool) ?? 0, weight));
		}
		return found;
	}

	endSession(sessionId: string): void {
		this.#searches.delete(sessionId);
	}

	#read(): Map<string, Use> {
		if (this.#uses) return this.#uses;
		this.#uses = new BoundedMap(RETAINED_USES);
		try {
			const stored = this.#file === undefined ? undefined : readState(this.#file);
			const entries = isObject(stored) && Array.isArray(stored['uses']) ? stored['uses'] : [];
			for (const use of entries.flatMap(useIn)) this.#uses.set(JSON.stringify([use.words, use.tool]), use);
		} catch {
			// a file that another user may write, or none: nothing is known
		}
		return this.#uses;
	}

	#write(): void {
		if (this.#file === undefined) return;
		try {
			makeFolders(dirname(this.#file), 0o700);
			writeState(this.#file, { schema: 'orchestra.usage/1', uses: [...(this.#uses?.values() ?? [])] });
		} catch {
			// a full or read-only disk: it is known until the end of the process
		}
	}
}

function useIn(value: unknown): Use[] {
	if (!isObject(value)) return [];
	const { words, tool, uses } = value;
	const isUse = Array.isArray(words) && words.length <= RETAINED_TERMS && typeof tool === 'string';
	if (!isUse || typeof uses !== 'number' || !(uses > 0)) return [];
	return [{ words: words.map(String), tool, uses: Math.min(FULL_USES, uses) }];
}

/** The terms of a query, in any order. */
function stemsOf(query: string): string[] {
	const words = wordsOf(query, 10 * RETAINED_TERMS).filter((word) => !stopWords.has(word));
	return [...new Set(words.map(stem))].slice(0, RETAINED_TERMS).sort();
}
