/*
 * The results that a worker keeps for a while, for a hub that lost its connection before
 * it received them. Bounded in time and in bytes; the oldest are dropped first.
 */
import type { ChunkSender } from './chunk-sender.ts';
import { KEPT_RESULTS_BYTES, RESULT_KEPT_MS } from './fabric-timers.ts';

/** A finished call. */
export interface FinishedCall {
	readonly call: string;
	readonly hub: string;
	/** Sends it, again if need be, from the chunk that is wanted. */
	readonly send: (next: number) => void;
	readonly bytes: number;
	readonly finishedAt: number;
	/** Of a large result. */
	readonly sender?: ChunkSender | undefined;
}

/** What a kept result costs besides its text. */
const OVERHEAD_BYTES = 300;

export class KeptResults {
	readonly #results = new Map<string, FinishedCall>();
	#bytes = 0;

	get(call: string): FinishedCall | undefined {
		return this.#results.get(call);
	}

	add(result: FinishedCall): void {
		this.#results.set(result.call, result);
		this.#bytes += result.bytes + OVERHEAD_BYTES;
		for (const oldest of this.#results.values()) {
			// A large result that is being sent stays until it has arrived.
			if (this.#bytes <= KEPT_RESULTS_BYTES || oldest === result) break;
			this.drop(oldest.call);
		}
	}

	drop(call: string): void {
		const result = this.#results.get(call);
		if (result === undefined) return;
		this.#results.delete(call);
		this.#bytes -= result.bytes + OVERHEAD_BYTES;
		result.sender?.close();
	}

	/** Drop those that are too old. */
	sweep(now: number): void {
		for (const { call, finishedAt } of this.#results.values()) {
			if (now - finishedAt < RESULT_KEPT_MS) break;
			this.drop(call);
		}
	}

	/** Those that finished after a time. */
	since(time: number): FinishedCall[] {
		return [...this.#results.values()].filter(({ finishedAt }) => finishedAt >= time);
	}

	/** Large results that have not arrived yet. */
	unsent(): FinishedCall[] {
		return [...this.#results.values()].filter(({ sender }) => sender && !sender.isComplete);
	}

	clear(): void {
		for (const call of this.#results.keys()) this.drop(call);
	}
}
