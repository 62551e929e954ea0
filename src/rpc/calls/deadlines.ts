/*
 * One timer for any number of deadlines.
 *
 * A timer per call would be the most expensive part of a call. Here one timer is set
 * for the earliest deadline; when it fires, the owner sweeps what is due and returns
 * the next deadline. A call that is answered in time costs nothing.
 */
import { type Clock, timerMs } from '../clock.ts';

export class Deadlines {
	readonly #clock: Clock;
	readonly #sweep: (now: number) => number;
	#armedFor = Number.POSITIVE_INFINITY;
	#cancelTimer: () => void = () => {};

	/** @param sweep expires what is due at `now` and returns the next deadline, `Infinity` for none */
	constructor(clock: Clock, sweep: (now: number) => number) {
		this.#clock = clock;
		this.#sweep = sweep;
	}

	/** Make sure that the sweep runs at `dueAt` or before. */
	schedule(dueAt: number): void {
		if (dueAt >= this.#armedFor) return;
		this.#cancelTimer();
		this.#armedFor = dueAt;
		const waitMs = Math.max(1, Math.ceil(dueAt - this.#clock.now()));
		this.#cancelTimer = this.#clock.after(timerMs(waitMs), () => this.#fire());
	}

	close(): void {
		this.#cancelTimer();
		this.#armedFor = Number.POSITIVE_INFINITY;
	}

	#fire(): void {
		this.#armedFor = Number.POSITIVE_INFINITY;
		this.schedule(this.#sweep(this.#clock.now()));
	}
}
