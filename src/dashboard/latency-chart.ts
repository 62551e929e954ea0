/* Calls, failures and latency over time: one pass over all calls, in buckets of a length that fits. */
import type { LatencyReply } from './api-calls.ts';
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
	const bucketMs = lengths.find((each) => each * BUCKETS >= now - oldest) ?? lengths.at(-1) ?? 1000;
	const end = Math.ceil((now + 1) / bucketMs) * bucketMs;
	const count = Math.min(BUCKETS, Math.max(1, Math.ceil((end - oldest) / bucketMs)));
	const begin = end - count * bucketMs;
	const buckets = Array.from({ length: count }, () => new LatencyBins());
	ring.visitEnded(filter, ({ at, ms, isFailed }) =>
		buckets[Math.floor((at - begin) / bucketMs)]?.add(ms, isFailed),
	);
	return {
		bucketMs,
		buckets: buckets.map((bins, index) => ({ at: begin + index * bucketMs, ...bins.summary() })),
	};
}
