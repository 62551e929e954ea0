/* Make one action of a burst of events. */

export interface DebounceOptions {
	/** How long no event may come before the action, in milliseconds. */
	readonly quietMs: number;
	/** How long after the first event the action comes at the latest. Default: `quietMs`. */
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

	/** An event came. */
	touch(): void {
		const { quietMs, latestMs = quietMs } = this.#options;
		const now = performance.now();
		this.#firstAt ??= now;
		const left = this.#firstAt + latestMs - now;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#fire(), Math.max(0, Math.min(quietMs, left))).unref();
	}

	/** The action that is due does not come. */
	close(): void {
		clearTimeout(this.#timer);
	}

	#fire(): void {
		this.#firstAt = undefined;
		this.#action();
	}
}
