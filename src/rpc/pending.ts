/*
 * Our requests in flight.
 *
 * Responses arrive in any order and are matched by id. Every call has an idle
 * timeout, which progress restarts, and optionally a total timeout, which nothing
 * restarts. The error says which of the two expired.
 */
import { OrchestraError } from '../errors.ts';
import type { About } from './channel.ts';
import type { Clock } from './clock.ts';
import { Deadlines } from './deadlines.ts';
import type { WindowedCall } from './send-window.ts';

export interface PendingCall extends WindowedCall {
	readonly id: number;
	readonly method: string;
	readonly resolve: (result: unknown) => void;
	readonly reject: (error: OrchestraError) => void;
	/** Idle timeout in milliseconds. */
	readonly timeoutMs: number;
	/** When the idle timeout expires; progress moves it. */
	dueAt: number;
	/** When the total timeout expires. */
	readonly capAt: number;
	/** The total timeout, for the message. */
	readonly maxTotalMs: number | undefined;
	readonly onProgress: ((params: unknown) => void) | undefined;
	/** The peer's request that the call belongs to. */
	readonly about: About | undefined;
	readonly keepsText: boolean;
	/** Removes the listener from the abort signal. */
	detach: () => void;
}

export class PendingCalls {
	readonly #calls = new Map<number, PendingCall>();
	readonly #clock: Clock;
	readonly #deadlines: Deadlines;
	readonly #onExpired: (call: PendingCall, error: OrchestraError) => void;

	/** @param onExpired is called after a call was rejected because its deadline expired */
	constructor(clock: Clock, onExpired: (call: PendingCall, error: OrchestraError) => void) {
		this.#clock = clock;
		this.#onExpired = onExpired;
		this.#deadlines = new Deadlines(clock, (now) => this.#sweep(now));
	}

	get size(): number {
		return this.#calls.size;
	}

	get oldest(): PendingCall | undefined {
		return this.#calls.values().next().value;
	}

	has(id: unknown): boolean {
		return typeof id === 'number' && this.#calls.has(id);
	}

	add(call: PendingCall): void {
		this.#calls.set(call.id, call);
		this.#deadlines.schedule(Math.min(call.dueAt, call.capAt));
	}

	/** Remove a call, to settle it; undefined when it is not pending. */
	take(id: unknown): PendingCall | undefined {
		// Only our own numbers are keys, so an id of another type finds nothing.
		const call = typeof id === 'number' ? this.#calls.get(id) : undefined;
		if (call === undefined) return undefined;
		this.#calls.delete(call.id);
		call.detach();
		return call;
	}

	/** Restart the idle timeout of a call after progress. */
	touch(id: unknown): PendingCall | undefined {
		const call = typeof id === 'number' ? this.#calls.get(id) : undefined;
		if (call) call.dueAt = this.#clock.now() + call.timeoutMs;
		return call;
	}

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
				? `${call.method} still reported progress when its total timeout expired; raise \`maxTotalMs\`.`
				: `${call.method} got no response; raise \`timeoutMs\` if it needs longer.`,
			data: { method: call.method, timeoutMs: limitMs, kind: isCap ? 'total' : 'idle' },
		});
		call.reject(error);
		this.#onExpired(call, error);
	}
}
