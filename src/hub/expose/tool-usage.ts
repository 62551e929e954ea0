/* How often each tool was called successfully, and after which queries: weak signs of what is wanted. */
import { QueryUsage } from './query-usage.ts';

/** Calls after which more of them add nothing. */
const USAGE_CALLS = 32;
/** Most tools whose calls are counted. */
const COUNTED_TOOLS = 10_000;

export class ToolUsage {
	readonly queries: QueryUsage;
	readonly #calls = new Map<string, number>();

	/** @param file of the queries; undefined: stored in memory */
	constructor(file?: string) {
		this.queries = new QueryUsage(file);
	}

	/** A call of this tool succeeded. */
	used(name: string): void {
		const calls = this.#calls.get(name);
		if (calls !== undefined || this.#calls.size < COUNTED_TOOLS) this.#calls.set(name, (calls ?? 0) + 1);
	}

	/** Count these calls alone: the journal has the earlier ones of this process too. */
	recount(names: readonly string[]): void {
		if (names.length === 0) return;
		this.#calls.clear();
		for (const name of names) this.used(name);
	}

	/** How useful a tool was: a number from 0, for one that was never called, to 1. */
	of(name: string): number {
		const calls = Math.min(this.#calls.get(name) ?? 0, USAGE_CALLS);
		return Math.log2(1 + calls) / Math.log2(1 + USAGE_CALLS);
	}
}
