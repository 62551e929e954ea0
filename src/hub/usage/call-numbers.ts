/* The sums of one server, tool or client. */
import type { SavedTokens, UsageNumbers } from './usage-report.ts';

/** A call, as its line in the journal says. */
export interface CountedCall {
	readonly at: number;
	readonly ms: number;
	readonly isFailed: boolean;
	readonly argumentTokens: number;
	readonly resultTokens: number;
}

export class CallNumbers {
	lastCallAt: number | null = null;
	readonly #sums = { failed: 0, argumentTokens: 0, resultTokens: 0 };
	#sentTokens = 0;
	readonly #ms: number[] = [];
	readonly #saved = { search: 0, views: 0, budget: 0 };

	get calls(): number {
		return this.#ms.length;
	}

	add({ at, ms, isFailed, argumentTokens, resultTokens }: CountedCall): void {
		this.#ms.push(ms);
		if (isFailed) this.#sums.failed++;
		this.#sums.argumentTokens += argumentTokens;
		this.#sums.resultTokens += resultTokens;
		this.lastCallAt = Math.max(at, this.lastCallAt ?? 0);
	}

	/** Tokens of definitions that were sent, and tokens that were not. */
	addTokens(sent: number, saved: SavedTokens): void {
		this.#sentTokens += sent;
		this.#saved.search += saved.search;
		this.#saved.views += saved.views;
		this.#saved.budget += saved.budget;
	}

	/** @param definitionTokens default: those that were sent */
	numbers(definitionTokens: number | null = this.#sentTokens): UsageNumbers {
		const sorted = Float64Array.from(this.#ms).sort();
		return {
			calls: this.calls,
			...this.#sums,
			p50Ms: percentile(sorted, 0.5),
			p95Ms: percentile(sorted, 0.95),
			definitionTokens,
			saved: { ...this.#saved },
		};
	}
}

/** The smallest value that this part of all values does not exceed; null without values. */
function percentile(sorted: Float64Array, part: number): number | null {
	return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
