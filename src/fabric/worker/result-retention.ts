/*
 * The results that a worker retains for a while, for a hub that lost its connection before
 * it received them. Those of one message are bounded in time and in bytes; the oldest are
 * dropped first. A large one, in chunks, is retained until it has arrived, or until its hub
 * has been silent for as long; the worker accepts no calls while too many bytes wait.
 */
import { RESULT_OVERHEAD_BYTES, RESULT_RETENTION_MS, RETAINED_RESULTS_BYTES } from '../fabric-limits.ts';
import type { ChunkSender } from './chunk-sender.ts';

/** The result of a finished call, which fits into one message. */
export interface ShortResult {
	readonly call: string;
	readonly hub: string;
	readonly finishedAt: number;
	readonly text: string;
	readonly reason: string | undefined;
}

/** A result that is being sent in chunks. */
export interface LargeResult {
	readonly call: string;
	readonly hub: string;
	readonly bytes: number;
	readonly sender: ChunkSender;
	/** When its hub last acknowledged or queried it. */
	heardAt: number;
}

export class ResultRetention {
	readonly #short = new Map<string, ShortResult>();
	readonly #large = new Map<string, LargeResult>();
	#shortBytes = 0;
	#largeBytes = 0;

	short(call: string): ShortResult | undefined {
		return this.#short.get(call);
	}

	large(call: string): LargeResult | undefined {
		return this.#large.get(call);
	}

	/** Large results that have not arrived yet. */
	get unsent(): Iterable<LargeResult> {
		return this.#large.values();
	}

	get hasUnsent(): boolean {
		return this.#large.size > 0;
	}

	get unsentBytes(): number {
		return this.#largeBytes;
	}

	addShort(result: ShortResult): void {
		this.#short.set(result.call, result);
		this.#shortBytes += sizeOf(result);
		for (const oldest of this.#short.keys()) {
			if (this.#shortBytes <= RETAINED_RESULTS_BYTES) break;
			this.drop(oldest);
		}
	}

	addLarge(result: LargeResult): void {
		this.#large.set(result.call, result);
		this.#largeBytes += result.bytes;
	}

	drop(call: string): void {
		const short = this.#short.get(call);
		if (short && this.#short.delete(call)) this.#shortBytes -= sizeOf(short);
		const large = this.#large.get(call);
		if (large === undefined) return;
		this.#large.delete(call);
		this.#largeBytes -= large.bytes;
		large.sender.close();
	}

	/** Drop those that are too old. */
	sweep(now: number): void {
		for (const { call, finishedAt } of this.#short.values()) {
			if (now - finishedAt < RESULT_RETENTION_MS) break;
			this.drop(call);
		}
		for (const { call, heardAt } of this.#large.values())
			if (now - heardAt >= RESULT_RETENTION_MS) this.drop(call);
	}

	/** The results of one message that finished after a time. */
	since(time: number): ShortResult[] {
		return [...this.#short.values()].filter(({ finishedAt }) => finishedAt >= time);
	}

	clear(): void {
		for (const retained of [this.#short, this.#large]) for (const call of retained.keys()) this.drop(call);
	}
}

function sizeOf({ text }: ShortResult): number {
	return text.length + RESULT_OVERHEAD_BYTES;
}
