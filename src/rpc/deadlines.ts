/*
 * One timer for any number of deadlines.
 *
 * A timer per call would be the dearest part of a call. Here the timer is set
 * for the earliest deadline only; when it fires, the owner sweeps what is due and
 * says when to come again. A call that is answered in time costs nothing.
 */
import type { Clock } from './clock.ts';

export class Deadlines {
	readonly #clock: Clock;
	readonly #sweep: (now: number) => number;
	#armedFor = Number.POSITIVE_INFINITY;
	#cancelTimer: () => void = () => {};

	/** @param sweep ends what is due at `now` and returns the next deadline, `Infinity` for none */
	constructor(clock: Clock, sweep: (now: number) => number) {
		this.#clock = clock;
		this.#sweep = sweep;
	}

	/** There is a deadline at `dueAt`. */
	note(dueAt: number): void {
		if (dueAt >= this.#armedFor) return;
		this.#cancelTimer();
		this.#armedFor = dueAt;
		const waitMs = Math.max(1, Math.ceil(dueAt - this.#clock.now()));
		this.#cancelTimer = this.#clock.after(Math.min(waitMs, LONGEST_TIMER_MS), () => this.#fire());
	}

	close(): void {
		this.#cancelTimer();
		this.#armedFor = Number.POSITIVE_INFINITY;
	}

	#fire(): void {
		this.#armedFor = Number.POSITIVE_INFINITY;
		this.note(this.#sweep(this.#clock.now()));
	}
}

/** Timers of JavaScript overflow above this; a longer wait is cut in pieces. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
