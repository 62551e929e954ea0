/* Debounce: one action for a burst of events. */

export interface DebounceOptions {
	/** Quiet period before the action, in milliseconds. */
	readonly quietMs: number;
	/** Longest delay after the first event, in milliseconds. Default: `quietMs`. */
	readonly latestMs?: number | undefined;
}

export class Debounce {
	readonly #action: () => void;
	readonly #options: DebounceOptions;
	#firstAt: number | undefined;
	#timer: NodeJS.Timeout | undefined;

	/** Does not keep the process alive. */
	constructor(action: () => void, options: DebounceOptions) {
		this.#action = action;
		this.#options = options;
	}

	/** Record an event. */
	touch(): void {
		const { quietMs, latestMs = quietMs } = this.#options;
		const now = performance.now();
		this.#firstAt ??= now;
		const left = this.#firstAt + latestMs - now;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fire(), Math.max(0, Math.min(quietMs, left))).unref();
	}

	/** Cancel a pending action. */
	close(): void {
		clearTimeout(this.#timer);
	}

	#fire(): void {
		this.#firstAt = undefined;
		this.#action();
	}
}
