/*
 * The last calls of the hub in typed arrays: 40 bytes each, without an object per call.
 *
 * A call has a rising number, from 1 on; its place is the number modulo the capacity.
 */
import { wildcard } from '../../trust/wildcard.ts';
import type { CallOutcome, CallRow } from '../api/api-calls.ts';
import { StringPool } from './string-pool.ts';

const outcomes: readonly CallOutcome[] = ['running', 'ok', 'failed', 'error', 'canceled'];
const FAILED = outcomes.indexOf('failed');
const ERROR = outcomes.indexOf('error');

/** A call, before it has ended. */
export interface BegunCall {
	readonly at: number;
	readonly client: string;
	readonly backend: string;
	readonly method: string;
	readonly name: string;
}

/** How it ended. */
export interface EndedCall {
	readonly outcome: CallOutcome;
	readonly ms: number;
	readonly error?: string | undefined;
}

/** The filter of a query; an absent field matches all. */
export interface RowFilter {
	/** A part of the name of the tool, prompt or resource, or a pattern with `*`. */
	readonly tool?: string | undefined;
	readonly client?: string | undefined;
	readonly backend?: string | undefined;
	/** `failures` is everything that ended without success. */
	readonly outcome?: string | undefined;
	/** Milliseconds since 1970. */
	readonly since?: number | undefined;
	/** The whole name of the client. */
	readonly exactClient?: string | undefined;
}

/** A call that ended, as a visitor sees it: valid during the visit only. Texts are numbers, see `CallRing.text`. */
export interface VisitedCall {
	at: number;
	ms: number;
	isFailed: boolean;
	client: number;
	backend: number;
	name: number;
}

const textColumns = ['client', 'backend', 'method', 'name', 'error'] as const;
type TextColumn = (typeof textColumns)[number];

export class CallRing {
	readonly #capacity: number;
	readonly #strings = new StringPool();
	readonly #at: Float64Array;
	readonly #ms: Float32Array;
	readonly #outcome: Uint8Array;
	/** Numbers of strings. */
	readonly #texts: Readonly<Record<TextColumn, Uint32Array>>;
	/** The number of the last call. */
	#last = 0;

	constructor(capacity: number) {
		this.#capacity = capacity;
		this.#at = new Float64Array(capacity);
		this.#ms = new Float32Array(capacity);
		this.#outcome = new Uint8Array(capacity);
		const text = (): Uint32Array => new Uint32Array(capacity);
		this.#texts = { client: text(), backend: text(), method: text(), name: text(), error: text() };
	}

	/** Calls that are retained. */
	get size(): number {
		return Math.min(this.#last, this.#capacity);
	}

	/** Add a call. Returns its number. */
	begin(call: BegunCall): number {
		const number = ++this.#last;
		const slot = number % this.#capacity;
		const isUsed = number > this.#capacity;
		this.#at[slot] = call.at;
		this.#ms[slot] = 0;
		this.#outcome[slot] = 0;
		for (const column of textColumns) {
			const ids = this.#texts[column];
			if (isUsed) this.#strings.release(ids[slot] ?? 0);
			ids[slot] = this.#strings.add(column === 'error' ? '' : call[column]);
		}
		return number;
	}

	/** The call with this number ended. Does nothing when it is not retained any more. */
	end(number: number, { outcome, ms, error = '' }: EndedCall): void {
		if (!this.#isRetained(number)) return;
		const slot = number % this.#capacity;
		this.#ms[slot] = ms;
		this.#outcome[slot] = Math.max(0, outcomes.indexOf(outcome));
		if (error === '') return;
		const { error: errors } = this.#texts;
		this.#strings.release(errors[slot] ?? 0);
		errors[slot] = this.#strings.add(error);
	}

	/** Undefined when it is not retained. */
	row(number: number): CallRow | undefined {
		return this.#isRetained(number) ? this.#rowAt(number) : undefined;
	}

	/** Rows that match, the newest first, before the call with the number `before`, and how many match at all. */
	rows(
		filter: RowFilter,
		{ before, limit }: { before: number | undefined; limit: number },
	): { rows: CallRow[]; next: number | null; matched: number } {
		const rows: CallRow[] = [];
		const end = before ?? Number.POSITIVE_INFINITY;
		let matched = 0;
		let next: number | null = null;
		this.#visit(filter, (number) => {
			matched++;
			if (number >= end) return;
			if (rows.length < limit) rows.push(this.#rowAt(number));
			else next ??= rows.at(-1)?.number ?? null;
		});
		return { rows, next, matched };
	}

	/** Visit the calls that ended and match, the newest first. One object is used for all of them. A canceled call did not fail. */
	visitEnded(filter: RowFilter, visit: (call: VisitedCall) => void): void {
		const call = { at: 0, ms: 0, isFailed: false, client: 0, backend: 0, name: 0 };
		const { client, backend, name } = this.#texts;
		this.#visit(filter, (_number, slot) => {
			const outcome = this.#outcome[slot] ?? 0;
			if (outcome === 0) return;
			call.at = this.#at[slot] ?? 0;
			call.ms = this.#ms[slot] ?? 0;
			call.isFailed = outcome === FAILED || outcome === ERROR;
			call.client = client[slot] ?? 0;
			call.backend = backend[slot] ?? 0;
			call.name = name[slot] ?? 0;
			visit(call);
		});
	}

	/** A text of a visited call. */
	text(id: number): string {
		return this.#strings.text(id);
	}

	#visit(filter: RowFilter, visit: (number: number, slot: number) => void): void {
		const names = matcher(this.#strings, filter.tool);
		const { exactClient } = filter;
		const { client, backend, name } = this.#texts;
		const clients = matcher(this.#strings, exactClient ?? filter.client, exactClient !== undefined);
		const backends = matcher(this.#strings, filter.backend, true);
		const isOutcome = outcomeTest(filter.outcome);
		const since = filter.since ?? 0;
		for (let number = this.#last; this.#isRetained(number); number--) {
			const slot = number % this.#capacity;
			if ((this.#at[slot] ?? 0) < since || !isOutcome(this.#outcome[slot] ?? 0)) continue;
			if (names?.[name[slot] ?? 0] === 0 || clients?.[client[slot] ?? 0] === 0) continue;
			if (backends?.[backend[slot] ?? 0] === 0) continue;
			visit(number, slot);
		}
	}

	#rowAt(number: number): CallRow {
		const slot = number % this.#capacity;
		const text = (column: TextColumn): string => this.#strings.text(this.#texts[column][slot] ?? 0);
		const outcome = outcomes[this.#outcome[slot] ?? 0] ?? 'running';
		const error = text('error');
		return {
			number,
			at: this.#at[slot] ?? 0,
			client: text('client'),
			backend: text('backend'),
			method: text('method'),
			name: text('name'),
			outcome,
			ms: outcome === 'running' ? null : Math.round((this.#ms[slot] ?? 0) * 10) / 10,
			...(error !== '' && { error }),
		};
	}

	#isRetained(number: number): boolean {
		return number > 0 && number <= this.#last && number > this.#last - this.#capacity;
	}
}

/** An array with 0 at each interned string that does not match; undefined when all match. */
function matcher(strings: StringPool, wanted: string | undefined, isExact = false): Uint8Array | undefined {
	if (wanted === undefined || wanted === '') return undefined;
	if (isExact) return strings.matching((text) => text === wanted);
	const isPart = wildcard(`*${wanted.toLowerCase()}*`);
	return strings.matching((text) => isPart(text.toLowerCase()));
}

function outcomeTest(wanted: string | undefined): (outcome: number) => boolean {
	if (wanted === undefined || wanted === '') return () => true;
	if (wanted === 'failures') return (outcome) => outcome > 1;
	const index = outcomes.findIndex((each) => each === wanted);
	return (outcome) => outcome === index;
}
