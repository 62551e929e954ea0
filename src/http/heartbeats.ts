/* One timer for everything that waits: comments on streams, late answers, idle sessions. It runs while there is any. */

/** How often each one is called, in milliseconds. */
const INTERVAL_MS = 250;

export class Heartbeats {
	readonly #listeners = new Set<(now: number) => void>();
	#timer: NodeJS.Timeout | undefined;

	add(listener: (now: number) => void): void {
		this.#listeners.add(listener);
		this.#timer ??= setInterval(() => this.#beat(), INTERVAL_MS).unref();
	}

	remove(listener: (now: number) => void): void {
		this.#listeners.delete(listener);
	}

	close(): void {
		this.#listeners.clear();
		this.#stop();
	}

	#beat(): void {
		const now = performance.now();
		for (const listener of this.#listeners) listener(now);
		// Stopped here and not with the last removal: requests come and go much faster.
		if (this.#listeners.size === 0) this.#stop();
	}

	#stop(): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}
}
