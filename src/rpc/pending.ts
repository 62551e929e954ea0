/*
 * Our requests that wait for an answer.
 *
 * Answers come in any order and find their caller by id. Every entry has a
 * deadline: an idle time that progress pushes back, and, when asked for, a hard
 * cap that nothing pushes back. The two are told apart in the error.
 */
import { OrchestraError } from '../errors.ts';
import type { Clock } from './clock.ts';
import { Deadlines } from './deadlines.ts';
import type { WindowedCall } from './window.ts';

export interface PendingCall extends WindowedCall {
	readonly id: number;
	readonly method: string;
	readonly resolve: (result: unknown) => void;
	readonly reject: (error: OrchestraError) => void;
	/** Longest silence, in milliseconds. */
	readonly timeoutMs: number;
	/** When the silence has lasted too long; pushed back by progress. */
	dueAt: number;
	/** When it is over whatever happens. */
	readonly capAt: number;
	/** The length of the cap, for the message. */
	readonly maxTotalMs: number | undefined;
	readonly onProgress: ((params: unknown) => void) | undefined;
	/** Undoes what the call attached to its abort signal. */
	detach: () => void;
}

export class PendingCalls {
	readonly #calls = new Map<number, PendingCall>();
	readonly #clock: Clock;
	readonly #deadlines: Deadlines;
	readonly #onExpired: (call: PendingCall, error: OrchestraError) => void;

	/** @param onExpired is told after a call was rejected for its deadline */
	constructor(clock: Clock, onExpired: (call: PendingCall, error: OrchestraError) => void) {
		this.#clock = clock;
		this.#onExpired = onExpired;
		this.#deadlines = new Deadlines(clock, (now) => this.#sweep(now));
	}

	get size(): number {
		return this.#calls.size;
	}

	/** The call that has waited longest. */
	get oldest(): PendingCall | undefined {
		return this.#calls.values().next().value;
	}

	has(id: unknown): boolean {
		return typeof id === 'number' && this.#calls.has(id);
	}

	add(call: PendingCall): void {
		this.#calls.set(call.id, call);
		this.#deadlines.note(Math.min(call.dueAt, call.capAt));
	}

	/** Remove a call, to settle it; undefined when it is not (or no longer) waiting. */
	take(id: unknown): PendingCall | undefined {
		// Only our own numbers are keys, so an id of another type finds nothing.
		const call = typeof id === 'number' ? this.#calls.get(id) : undefined;
		if (call === undefined) return undefined;
		this.#calls.delete(call.id);
		call.detach();
		return call;
	}

	/** Progress came: the idle time starts again. */
	touch(id: unknown): PendingCall | undefined {
		const call = typeof id === 'number' ? this.#calls.get(id) : undefined;
		if (call) call.dueAt = this.#clock.now() + call.timeoutMs;
		return call;
	}

	/** Reject everything. */
	failAll(reason: OrchestraError): void {
		this.#deadlines.close();
		for (const { id } of this.#calls.values()) this.take(id)?.reject(reason);
	}

	#sweep(now: number): number {
		let next = Number.POSITIVE_INFINITY;
		for (const call of this.#calls.values()) {
			const dueAt = Math.min(call.dueAt, call.capAt);
			if (dueAt > now) next = Math.min(next, dueAt);
			else this.#expire(call, now);
		}
		return next;
	}

	#expire(call: PendingCall, now: number): void {
		this.take(call.id);
		const isCap = call.capAt <= now && call.maxTotalMs !== undefined;
		const limitMs = isCap ? call.maxTotalMs : call.timeoutMs;
		const error = new OrchestraError('timeout', `request timed out after ${limitMs}ms`, {
			hint: isCap
				? `${call.method} was still reporting progress, but its total time is capped; raise \`maxTotalMs\`.`
				: `Nothing came back for ${call.method}; raise \`timeoutMs\` if it needs longer.`,
			data: { method: call.method, timeoutMs: limitMs, kind: isCap ? 'total' : 'idle' },
		});
		call.reject(error);
		this.#onExpired(call, error);
	}
}
