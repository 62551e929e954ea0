/*
 * Notices that a process is idle. One timer for all calls: when it fires, it is armed
 * again for the rest of the idle time, so that a call costs no timer.
 */
import { timerMs } from '../../../rpc/clock.ts';

export interface IdleTimerOptions {
	/** In milliseconds; 0 for never. */
	readonly idleMs: number;
	/** True while it must not count as idle. */
	readonly isUsed: () => boolean;
	readonly onIdle: () => void;
}

export class IdleTimer {
	readonly #options: IdleTimerOptions;
	#timer: NodeJS.Timeout | undefined;
	#lastUsed = 0;

	constructor(options: IdleTimerOptions) {
		this.#options = options;
	}

	start(): void {
		this.used();
		this.#arm(this.#options.idleMs);
	}

	used(): void {
		this.#lastUsed = performance.now();
	}

	stop(): void {
		clearTimeout(this.#timer);
	}

	#arm(afterMs: number): void {
		const { idleMs, isUsed, onIdle } = this.#options;
		clearTimeout(this.#timer);
		if (idleMs === 0) return;
		this.#timer = setTimeout(() => {
			const leftMs = isUsed() ? idleMs : this.#lastUsed + idleMs - performance.now();
			if (leftMs > 0) this.#arm(leftMs);
			else onIdle();
		}, timerMs(afterMs));
		this.#timer.unref();
	}
}
