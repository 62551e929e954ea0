/* Calls, failures and latency over time, in buckets of a length that fits. */
import type { LatencyReply } from '../api/api-calls.ts';
import type { CallRing, RowFilter } from './call-ring.ts';
import { LatencyBins } from './latency-bins.ts';

const BUCKETS = 60;
/** Lengths of a bucket, in milliseconds. */
const lengths: readonly number[] = [1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400].map((s) => s * 1000);

/** The chart of the calls that match. */
export function latencyChart(ring: CallRing, filter: RowFilter, now: number): LatencyReply {
	let oldest = now;
	ring.visitEnded(filter, ({ at }) => {
		if (at < oldest) oldest = at;
	});
	const buckets = new TimeBuckets(oldest, now);
	ring.visitEnded(filter, ({ at, ms, isFailed }) => buckets.add(at, ms, isFailed));
	return buckets.reply();
}

/** Buckets from the oldest call until now. */
export class TimeBuckets {
	readonly #bucketMs: number;
	readonly #begin: number;
	readonly #bins: readonly LatencyBins[];

	constructor(oldest: number, now: number) {
		this.#bucketMs = lengths.find((each) => each * BUCKETS >= now - oldest) ?? lengths.at(-1) ?? 1000;
		const end = Math.ceil((now + 1) / this.#bucketMs) * this.#bucketMs;
		const count = Math.min(BUCKETS, Math.max(1, Math.ceil((end - oldest) / this.#bucketMs)));
		this.#begin = end - count * this.#bucketMs;
		this.#bins = Array.from({ length: count }, () => new LatencyBins());
	}

	add(at: number, ms: number, isFailed: boolean): void {
		this.#bins[Math.floor((at - this.#begin) / this.#bucketMs)]?.add(ms, isFailed);
	}

	reply(): LatencyReply {
		const buckets = this.#bins.map((bins, index) => ({
			at: this.#begin + index * this.#bucketMs,
			...bins.summary(),
		}));
		return { bucketMs: this.#bucketMs, buckets };
	}
}
