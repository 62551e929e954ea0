/*
 * The calls of the hub: rows of the last ones, facts of fewer, counters by backend and
 * minute, and the changes since the last event.
 *
 * While a page is open it runs in the path of every call, so it only writes into arrays and
 * small objects. Calls of other times come from the journal, without their arguments.
 */
import type { CallEnd, CallListener, StartedCall } from '../../hub/call-feed.ts';
import { withoutArguments } from '../../hub/journal/journal-line.ts';
import { CallTable } from '../../rpc/calls/call-table.ts';
import type { CallDetails, CallOutcome, CallRow, CallsEvent } from '../api/api-calls.ts';
import type { DashboardLimits } from '../dashboard-limits.ts';
import { FOLLOWED_CALLS_LIMIT } from '../dashboard-limits.ts';
import { CallFacts, type JournalFacts } from './call-facts.ts';
import { type BegunCall, CallRing, type EndedCall } from './call-ring.ts';
import { MinuteCounts } from './minute-counts.ts';
import { type DetailLimits, type RetainedCall, RetainedFacts } from './retained-facts.ts';

type CallLogLimits = DetailLimits & Pick<DashboardLimits, 'calls' | 'eventRows'>;

export class CallLog implements CallListener {
	readonly takesText = true;
	readonly ring: CallRing;
	readonly counts: MinuteCounts = new MinuteCounts();
	readonly #limits: CallLogLimits;
	/** Keyed by the number that the hub gave the call. */
	readonly #open = new CallTable<number, RetainedCall>();
	readonly #facts: RetainedFacts;
	/** The numbers of the calls that ended since the last event; the oldest are overwritten. */
	readonly #ended: Float64Array;
	#endedCount = 0;
	/** Called with the number of a call when it begins. */
	onBegun: ((clientInfo: unknown, number: number) => void) | undefined;

	constructor(limits: CallLogLimits) {
		this.#limits = limits;
		this.ring = new CallRing(limits.calls);
		this.#facts = new RetainedFacts(limits);
		this.#ended = new Float64Array(limits.eventRows);
	}

	/** Add a call of the journal, which was made while no page was open. */
	add(call: BegunCall, end: EndedCall & JournalFacts): void {
		const number = this.#takeRunning(call) ?? this.ring.begin(call);
		this.ring.end(number, end);
		this.#facts.add(number, CallFacts.ofJournal(end));
		this.#count(call.backend, end.outcome, call.at + end.ms);
	}

	started(call: StartedCall): void {
		if (this.#open.size >= FOLLOWED_CALLS_LIMIT || this.#open.has(call.number)) return;
		this.#open.set(call.number, this.#begin(call));
	}

	notified(call: StartedCall, method: string, params: Readonly<Record<string, unknown>>): void {
		const open = this.#open.get(call.number);
		if (open) this.#facts.notified(open, method, params);
	}

	ended(call: StartedCall, end: CallEnd): void {
		const retained = this.#open.take(call.number) ?? this.#begin(call);
		this.ring.end(retained.number, end);
		this.#facts.ended(retained, end);
		this.#count(call.backend, end.outcome);
		this.#ended[this.#endedCount++ % this.#ended.length] = retained.number;
	}

	/** Undefined when the call is not retained. */
	details(number: number): CallDetails | undefined {
		const row = this.ring.row(number);
		if (row === undefined) return undefined;
		return (this.#factsOf(number) ?? new CallFacts({})).details(row);
	}

	/** The calls that began or ended since the last time; undefined when there are none. */
	takeChanges(): CallsEvent | undefined {
		const ended = Math.min(this.#endedCount, this.#ended.length);
		const numbers = new Set(this.#ended.subarray(0, ended));
		let dropped = this.#endedCount - ended;
		this.#endedCount = 0;
		for (const call of this.#open.values()) {
			if (call.isShown) continue;
			call.isShown = true;
			if (numbers.size < this.#limits.eventRows) numbers.add(call.number);
			else dropped++;
		}
		if (numbers.size === 0) return undefined;
		const sorted = [...numbers].toSorted((one, other) => one - other);
		const rows = sorted
			.map((number) => this.ring.row(number))
			.filter((row): row is CallRow => row !== undefined);
		return { rows, dropped, total: this.ring.size };
	}

	#count(backend: string, outcome: CallOutcome, at?: number): void {
		this.counts.add(backend, outcome !== 'ok' && outcome !== 'canceled', at);
	}

	/** The row of a call that ran when the last page closed. */
	#takeRunning({ at, name, backend }: BegunCall): number | undefined {
		for (const [key, { number }] of this.#open.entries()) {
			const row = this.ring.row(number);
			if (row?.at !== at || row.name !== name || row.backend !== backend) continue;
			this.#open.take(key);
			return number;
		}
		return undefined;
	}

	#factsOf(number: number): CallFacts | undefined {
		const found = this.#facts.find(number);
		if (found) return found;
		for (const retained of this.#open.values()) if (retained.number === number) return retained.facts;
		return undefined;
	}

	#begin(call: StartedCall): RetainedCall {
		const { client, backend, method, name, startedAt, caller } = call;
		const shown = method === 'tools/call' ? name : withoutArguments(name);
		const number = this.ring.begin({ at: startedAt.getTime(), client, backend, method, name: shown });
		const retained = this.#facts.begin(number, call);
		this.onBegun?.(caller?.clientInfo, number);
		return retained;
	}
}
