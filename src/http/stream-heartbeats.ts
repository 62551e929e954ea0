/* One timer for everything that waits: comments on streams, late answers, idle sessions. It runs while there is any, so an idle listener does not wake up. */
import { HEARTBEAT_INTERVAL_MS } from './http-limits.ts';

/** Returns false when it waits for nothing now; `add` it again when it does. */
export type HeartbeatListener = (now: number) => boolean | void;

export class StreamHeartbeats {
	readonly #listeners = new Set<HeartbeatListener>();
	#timer: NodeJS.Timeout | undefined;

	add(listener: HeartbeatListener): void {
		this.#listeners.add(listener);
		this.#timer ??= setInterval(() => this.#beat(), HEARTBEAT_INTERVAL_MS).unref();
	}

	remove(listener: HeartbeatListener): void {
		this.#listeners.delete(listener);
	}

	close(): void {
		this.#listeners.clear();
		this.#stop();
	}

	#beat(): void {
		const now = performance.now();
		let isNeeded = false;
		for (const listener of this.#listeners) if (listener(now) !== false) isNeeded = true;
		// Stopped here and not with the last removal: requests come and go much faster.
		if (!isNeeded) this.#stop();
	}

	#stop(): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}
}
