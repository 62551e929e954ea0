/* Time as a parameter, so that this layer stays pure and tests need not wait. */

/** A monotonic clock with timers. */
export interface Clock {
	/** Monotonic time in milliseconds. */
	now(): number;
	/** Call `action` once after `ms`; returns a function that cancels it. Must not keep the process alive. */
	after(ms: number, action: () => void): () => void;
}

/** The clock of this process: `performance.now` and unreferenced timers. */
export const systemClock: Clock = {
	now: () => performance.now(),
	after(ms, action) {
		const timer = setTimeout(action, ms);
		timer.unref();
		return () => clearTimeout(timer);
	},
};
