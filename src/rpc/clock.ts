/* Time, passed in, so that the layer stays pure and tests need not wait. */

export interface Clock {
	/** Milliseconds from a fixed point; never goes back. */
	now(): number;
	/** Call `action` once after `ms`; gives back what calls it off. Must not keep the process alive. */
	after(ms: number, action: () => void): () => void;
}

/** The clock of this process. */
export const systemClock: Clock = {
	now: () => performance.now(),
	after(ms, action) {
		const timer = setTimeout(action, ms);
		timer.unref();
		return () => clearTimeout(timer);
	},
};
