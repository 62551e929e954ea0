/*
 * When something that crashed may be started again: a process or a connection.
 *
 * Exponential backoff with jitter. A call that was answered forgets the crashes before it, and so
 * does a long run. Several crashes within a minute, of runs without one answer, mean that the
 * program is broken: where `failedMs` is set it is left alone for that long. A server that
 * says that it is overloaded is not broken: the time that it names is the shortest delay.
 */
import type { OrchestraError } from '../errors.ts';
import { Backoff } from './backoff.ts';
import { type Clock, systemClock } from './clock.ts';
import {
	CRASH_LIMIT,
	CRASH_WINDOW_MS,
	RESTART_FIRST_MS,
	RESTART_MAX_MS,
	RETRY_AFTER_MAX_MS,
	STABLE_RUN_MS,
} from './rpc-limits.ts';

/** The jitter is at most this part of the delay. */
const JITTER = 0.2;

/** Why it is down. */
export interface DownReason {
	readonly error: OrchestraError;
	/** True when it did not start, false when it ended after it had started. */
	readonly isStart: boolean;
	/** How long one that is overloaded wants no start, in milliseconds; undefined when it is not overloaded. */
	readonly retryAfterMs?: number | undefined;
}

export interface RestartPolicyOptions {
	/** Default `RESTART_FIRST_MS` and `RESTART_MAX_MS`. */
	readonly firstMs?: number;
	readonly maxMs?: number;
	/** Uptime that resets the backoff. Default ten minutes. */
	readonly stableMs?: number;
	/** How long a program that is broken is not started. Default: it is tried on and on. */
	readonly failedMs?: number;
	readonly clock?: Pick<Clock, 'now'> | undefined;
	readonly random?: () => number;
}

/** May be shared by processes of the same program. */
export class RestartPolicy {
	readonly #options: RestartPolicyOptions;
	readonly #backoff: Backoff;
	#upSince: number | undefined;
	/** The times of the last crashes without an answer. */
	#crashes: number[] = [];
	#hasAnswered = false;
	#nextAt = 0;
	#down: DownReason | undefined;

	constructor(options: RestartPolicyOptions = {}) {
		this.#options = options;
		this.#backoff = new Backoff(options.firstMs ?? RESTART_FIRST_MS, options.maxMs ?? RESTART_MAX_MS);
	}

	/** How long until it may be started, in milliseconds; 0 for at once. */
	get delayMs(): number {
		return Math.max(0, this.#nextAt - this.#now());
	}

	/** Why it is down; undefined when it is not. */
	get down(): DownReason | undefined {
		return this.#down;
	}

	/** True when it has not crashed since it was made, or since its crashes were forgotten. */
	get isFresh(): boolean {
		return this.#backoff.isReset;
	}

	started(): void {
		this.#upSince = this.#now();
		this.#hasAnswered = false;
		this.#down = undefined;
	}

	/** It answered, a list for example: it is not broken. A call that was answered forgets the crashes as well. */
	answered(isCall: boolean): void {
		this.#hasAnswered = true;
		if (!isCall) return;
		this.#crashes = [];
		this.#backoff.reset();
	}

	/** It ended by itself, or did not start. */
	crashed(down: DownReason): void {
		const { stableMs = STABLE_RUN_MS, failedMs, random = Math.random } = this.#options;
		const now = this.#now();
		if (this.#upSince !== undefined && now - this.#upSince >= stableMs) this.#backoff.reset();
		const isBroken = failedMs !== undefined && this.#isBroken(down, now);
		this.#upSince = undefined;
		this.#hasAnswered = false; // the next run has not
		this.#down = down;
		const jitter = 1 + JITTER * (random() - 0.5) * 2;
		const namedMs = Math.min(down.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
		const delayMs = Math.max(this.#backoff.nextMs() * jitter, namedMs);
		this.#nextAt = now + (isBroken ? failedMs : delayMs);
	}

	/** Forget every crash: it may be started at once. */
	reset(): void {
		this.#down = undefined;
		this.#crashes = [];
		this.#nextAt = 0;
		this.#backoff.reset();
	}

	/** Five crashes; then they are counted anew. */
	#isBroken({ retryAfterMs }: DownReason, now: number): boolean {
		if (this.#hasAnswered || retryAfterMs !== undefined) return false;
		this.#crashes = [...this.#crashes.filter((at) => now - at < CRASH_WINDOW_MS), now];
		if (this.#crashes.length < CRASH_LIMIT) return false;
		this.#crashes = [];
		return true;
	}

	#now(): number {
		return (this.#options.clock ?? systemClock).now();
	}
}
