/*
 * What the overview shows of the calls: who called what, how often and how fast.
 *
 * Three passes over the rows that are retained, with other work between them: the sums, what needs the sums, the flows. Percentiles
 * are made only of the tools that are shown. Keys are numbers: a text for each call would cost more than the rest.
 */
import { WorkSlices } from '../../rpc/work-slices.ts';
import type { CallFlow, OverviewReply, ToolUse } from '../api/api-calls.ts';
import { FLOWS_LIMIT } from '../dashboard-limits.ts';
import type { CallRing, RowFilter, VisitedCall } from './call-ring.ts';
import { LatencyBins } from './latency-bins.ts';
import { TimeBuckets } from './latency-chart.ts';

/** Tools in each of the two lists. */
const SHOWN_TOOLS = 8;
/** Greater than the number of pooled strings, so that two of their numbers are one key. */
const KEY_FACTOR = 2 ** 26;

/** @param filter the time, the whole name of a client, and a source; the flows are of all clients and sources */
export async function callOverview(
	ring: CallRing,
	filter: Pick<RowFilter, 'since' | 'client' | 'backend'>,
	now: number,
): Promise<OverviewReply> {
	const slices = new WorkSlices();
	const { since, client: exactClient, backend } = filter;
	const chosen = { since, exactClient, backend };
	const all = new LatencyBins();
	const tools = new Tallies();
	let oldest = now;
	ring.visitEnded(chosen, (call) => {
		all.add(call.ms, call.isFailed);
		tools.add(call.name * KEY_FACTOR + call.backend, call);
		if (call.at < oldest) oldest = call.at;
	});
	if (slices.isOver) await slices.next();
	const { busiest, slowest } = tools.ranked();
	const bins = new Map([...busiest, ...slowest].map(({ name }) => [name, new LatencyBins()]));
	const buckets = new TimeBuckets(oldest, now);
	ring.visitEnded(chosen, ({ at, ms, isFailed, name }) => {
		buckets.add(at, ms, isFailed);
		bins.get(name)?.add(ms, isFailed);
	});
	if (slices.isOver) await slices.next();
	const useOf = ({ name, backend: source }: Tally): ToolUse => ({
		name: ring.text(name),
		backend: ring.text(source),
		...(bins.get(name) ?? new LatencyBins()).summary(),
	});
	return {
		...buckets.reply(),
		all: all.summary(),
		histogram: all.histogram(),
		flows: flowsOf(ring, { since }),
		busiest: busiest.map(useOf),
		slowest: slowest.map(useOf),
	};
}

/** The most used first. */
function flowsOf(ring: CallRing, filter: RowFilter): CallFlow[] {
	const flows = new Tallies();
	ring.visitEnded(filter, (call) => flows.add(call.client * KEY_FACTOR + call.backend, call));
	return flows
		.byCount()
		.slice(0, FLOWS_LIMIT)
		.map(({ client, backend, count, errors }) => ({
			client: ring.text(client),
			backend: ring.text(backend),
			count,
			errors,
		}));
}

interface Tally extends Pick<VisitedCall, 'client' | 'backend' | 'name'> {
	count: number;
	errors: number;
	sumMs: number;
}

class Tallies {
	readonly #tallies = new Map<number, Tally>();

	add(key: number, { client, backend, name, ms, isFailed }: VisitedCall): void {
		let tally = this.#tallies.get(key);
		if (tally === undefined) {
			tally = { client, backend, name, count: 0, errors: 0, sumMs: 0 };
			this.#tallies.set(key, tally);
		}
		tally.count++;
		tally.sumMs += ms;
		if (isFailed) tally.errors++;
	}

	byCount(): Tally[] {
		return [...this.#tallies.values()].toSorted((one, other) => other.count - one.count);
	}

	/** The first by calls, and by the mean duration. */
	ranked(): { busiest: Tally[]; slowest: Tally[] } {
		const all = this.byCount();
		const mean = ({ sumMs, count }: Tally): number => sumMs / count;
		const slowest = all.toSorted((one, other) => mean(other) - mean(one));
		return { busiest: all.slice(0, SHOWN_TOOLS), slowest: slowest.slice(0, SHOWN_TOOLS) };
	}
}
