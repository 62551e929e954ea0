/*
 * When a server that crashed may be started again.
 *
 * Exponential backoff with jitter; a minute of health resets it. Several crashes within
 * a minute without one answer mean that the server is broken: it is left alone for a
 * while, and its calls fail at once with the reason. A server that says that it is
 * overloaded is not broken: the time that it names is the shortest delay.
 */
import type { OrchestraError } from '../../../errors.ts';
import { Backoff } from '../../../rpc/backoff.ts';

/** The first and the longest delay before a restart, in milliseconds. */
export const RESTART_DELAY_MS = 1000;
export const RESTART_DELAY_MAX_MS = 30_000;
/** Uptime that resets the backoff. */
const HEALTHY_UPTIME_MS = 60_000;
/** So many crashes without an answer within a minute make a server failed. */
const CRASH_LIMIT = 5;
const CRASH_WINDOW_MS = 60_000;
/** How long a failed server is not started. */
export const FAILED_MS: number = 5 * 60_000;
/** The longest delay that a server can ask for. */
const RETRY_AFTER_MAX_MS = 60 * 60_000;
/** The jitter is at most this part of the delay. */
const JITTER = 0.2;

/** Why a server is down. */
export interface ServerDownReason {
	readonly error: OrchestraError;
	/** True when it did not start, false when it ended after it had started. */
	readonly isStart: boolean;
	/** How long a server that is overloaded wants no start, in milliseconds; undefined when it is not overloaded. */
	readonly retryAfterMs?: number | undefined;
}

export class RestartPolicy {
	readonly #now: () => number;
	readonly #random: () => number;
	readonly #backoff = new Backoff(RESTART_DELAY_MS, RESTART_DELAY_MAX_MS);
	/** The times of the last crashes without an answer. */
	#crashes: number[] = [];
	#upSince: number | undefined;
	#hasAnswered = false;
	#nextAt = 0;
	#isFailed = false;
	#down: ServerDownReason | undefined;

	constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
		this.#now = now;
		this.#random = random;
	}

	/** How long until it may be started, in milliseconds; 0 for at once. */
	get delayMs(): number {
		return Math.max(0, this.#nextAt - this.#now());
	}

	/** Why it is down; undefined when it is not. */
	get down(): ServerDownReason | undefined {
		return this.#down;
	}

	started(): void {
		this.#upSince = this.#now();
		this.#hasAnswered = false;
		this.#isFailed = false;
		this.#down = undefined;
	}

	answered(): void {
		if (this.#hasAnswered) return;
		this.#hasAnswered = true;
		this.#crashes = [];
	}

	/** It ended by itself, or did not start. */
	crashed(down: ServerDownReason): void {
		const now = this.#now();
		this.#down = down;
		if (this.#upSince !== undefined && now - this.#upSince >= HEALTHY_UPTIME_MS) this.#backoff.reset();
		const hasAnswered = this.#upSince !== undefined && this.#hasAnswered;
		this.#upSince = undefined;
		const { retryAfterMs } = down;
		const isCrash = !hasAnswered && retryAfterMs === undefined;
		if (isCrash) this.#crashes = [...this.#crashes.filter((at) => now - at < CRASH_WINDOW_MS), now];
		this.#isFailed = this.#crashes.length >= CRASH_LIMIT;
		const jitter = 1 + JITTER * (this.#random() - 0.5) * 2;
		const namedMs = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
		const delayMs = Math.max(this.#backoff.nextMs() * jitter, namedMs);
		this.#nextAt = now + (this.#isFailed ? FAILED_MS : delayMs);
		if (this.#isFailed) this.#crashes = [];
	}
}
