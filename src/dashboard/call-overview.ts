/*
 * What the overview shows of the calls: who called what, how often and how fast.
 *
 * Each part is a pass over the rows that are kept. Percentiles are made only of the tools that are shown.
 */
import type { CallFlow, OverviewReply, ToolUse } from './api-calls.ts';
import type { CallRing, RowFilter, VisitedCall } from './call-ring.ts';
import { LatencyBins } from './latency-bins.ts';
import { latencyChart } from './latency-chart.ts';

/** Tools in each of the two lists. */
const SHOWN_TOOLS = 8;
/** Pairs of a client and a source; those with fewer calls are left out. */
const FLOWS_LIMIT = 400;

/** Which calls. The flows are of all clients and sources. */
export interface OverviewFilter {
	readonly since?: number | undefined;
	readonly client?: string | undefined;
	readonly backend?: string | undefined;
}

export function callOverview(ring: CallRing, filter: OverviewFilter, now: number): OverviewReply {
	const { since, client: exactClient, backend } = filter;
	const chosen = { since, exactClient, backend };
	const all = new LatencyBins();
	ring.visitEnded(chosen, ({ ms, isFailed }) => all.add(ms, isFailed));
	return {
		...latencyChart(ring, chosen, now),
		all: all.summary(),
		histogram: all.histogram(),
		flows: flowsOf(ring, { since }),
		...toolsOf(ring, chosen),
	};
}

/** The most used first. */
function flowsOf(ring: CallRing, filter: RowFilter): CallFlow[] {
	const tallies = tallied(ring, filter, ({ client, backend }) => `${client} ${backend}`);
	return tallies
		.toSorted((one, other) => other.count - one.count)
		.slice(0, FLOWS_LIMIT)
		.map(({ client, backend, count, errors }) => ({
			client: ring.text(client),
			backend: ring.text(backend),
			count,
			errors,
		}));
}

function toolsOf(ring: CallRing, filter: RowFilter): Pick<OverviewReply, 'busiest' | 'slowest'> {
	const tallies = tallied(ring, filter, ({ name, backend }) => `${name} ${backend}`);
	const busiest = tallies.toSorted((one, other) => other.count - one.count).slice(0, SHOWN_TOOLS);
	const mean = ({ sumMs, count }: Tally): number => sumMs / count;
	const slowest = tallies.toSorted((one, other) => mean(other) - mean(one)).slice(0, SHOWN_TOOLS);
	const bins = new Map([...busiest, ...slowest].map(({ name }) => [name, new LatencyBins()]));
	ring.visitEnded(filter, ({ name, ms, isFailed }) => bins.get(name)?.add(ms, isFailed));
	const useOf = ({ name, backend }: Tally): ToolUse => ({
		name: ring.text(name),
		backend: ring.text(backend),
		...(bins.get(name) ?? new LatencyBins()).summary(),
	});
	return { busiest: busiest.map(useOf), slowest: slowest.map(useOf) };
}

interface Tally extends Pick<VisitedCall, 'client' | 'backend' | 'name'> {
	count: number;
	errors: number;
	sumMs: number;
}

function tallied(ring: CallRing, filter: RowFilter, keyOf: (call: VisitedCall) => string): Tally[] {
	const tallies = new Map<string, Tally>();
	ring.visitEnded(filter, (call) => {
		const key = keyOf(call);
		let tally = tallies.get(key);
		if (tally === undefined) {
			const { client, backend, name } = call;
			tallies.set(key, (tally = { client, backend, name, count: 0, errors: 0, sumMs: 0 }));
		}
		tally.count++;
		tally.sumMs += call.ms;
		if (call.isFailed) tally.errors++;
	});
	return [...tallies.values()];
}
