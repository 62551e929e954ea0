/*
 * Calls in flight, each with a deadline and an abort signal: the core that JSON-RPC
 * requests (`outgoing-calls.ts`) and unary calls of the plugin protocol
 * (`plugin/client/unary-calls.ts`) share.
 *
 * A call leaves the table exactly once, by the first of: its response, its deadline, its
 * signal, the end of the connection. The code that removes it settles it. One timer
 * serves all deadlines.
 */
import type { OrchestraError } from '../../errors.ts';
import { onAbort } from '../abortable.ts';
import type { Clock } from '../clock.ts';
import { CallTable } from './call-table.ts';
import { Deadlines } from './deadlines.ts';

/** The part of a call that the table uses. */
export interface PendingEntry {
	readonly id: number;
	readonly reject: (error: OrchestraError) => void;
	/** When the call expires; `Infinity` for never. May be moved to later. */
	dueAt: number;
	/** Removes the listener from the abort signal; set by the table. */
	detach?: (() => void) | undefined;
}

/** Work that may be canceled, such as an `IncomingCall`. */
export interface CancelSource {
	readonly isCanceled: boolean;
	/** Call `listener` on cancellation, or at once if it happened before. */
	onCancel(listener: (reason: OrchestraError) => void): void;
}

/** Settle a call that the table removed. */
interface PendingEnds<Call> {
	/** Asked before a call expires: true when its `dueAt` was moved to later. */
	isExtended?(call: Call, now: number): boolean;
	expired(call: Call, now: number): void;
	aborted(call: Call, reason: unknown): void;
}

export class PendingTable<Call extends PendingEntry> {
	readonly #calls = new CallTable<number, Call>();
	readonly #deadlines: Deadlines;
	readonly #ends: PendingEnds<Call>;

	constructor(clock: Clock, ends: PendingEnds<Call>) {
		this.#ends = ends;
		this.#deadlines = new Deadlines(clock, (now) => this.#sweep(now));
	}

	get size(): number {
		return this.#calls.size;
	}

	get oldest(): Call | undefined {
		return this.#calls.values().next().value;
	}

	values(): Iterable<Call> {
		return this.#calls.values();
	}

	/** Only our own numbers are keys, so an id of another type finds nothing. */
	get(id: unknown): Call | undefined {
		return typeof id === 'number' ? this.#calls.get(id) : undefined;
	}

	/** @param signal is not aborted yet @param work cancels the call like the signal, and is cheaper */
	add(call: Call, signal: AbortSignal | undefined, work?: CancelSource): void {
		this.#calls.set(call.id, call);
		this.#deadlines.schedule(call.dueAt);
		// Ids are not reused, so the listener of a settled call finds nothing.
		work?.onCancel((reason) => this.take(call.id) && this.#ends.aborted(call, reason));
		if (signal === undefined) return;
		call.detach = onAbort(signal, () => {
			if (this.take(call.id)) this.#ends.aborted(call, signal.reason);
		});
	}

	/** Remove a call, to settle it; undefined when it is not pending. */
	take(id: unknown): Call | undefined {
		const call = typeof id === 'number' ? this.#calls.take(id) : undefined;
		call?.detach?.();
		return call;
	}

	/** Reject every call. */
	failAll(reason: OrchestraError): void {
		this.close();
		for (const { id } of this.#calls.values()) this.take(id)?.reject(reason);
	}

	/** Stop the timer. */
	close(): void {
		this.#deadlines.close();
	}

	#sweep(now: number): number {
		let next = Number.POSITIVE_INFINITY;
		for (const call of this.#calls.values()) {
			const isOpen = call.dueAt > now || this.#ends.isExtended?.(call, now);
			if (isOpen) next = Math.min(next, call.dueAt);
			else if (this.take(call.id)) this.#ends.expired(call, now);
		}
		return next;
	}
}
