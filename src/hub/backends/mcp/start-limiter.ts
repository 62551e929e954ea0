/*
 * Bounds how many MCP servers of a hub start at the same time: a hundred programs that
 * start together take longer than one after the other, and block the machine.
 *
 * Starts for calls go before those in the background. A start that takes long gives its
 * slot back, so that a server that hangs does not delay the others.
 */
import { OrchestraError } from '../../../errors.ts';

/** Most starts at a time. */
export const STARTS_AT_ONCE = 4;
/** How long a start may hold its slot, in milliseconds. */
export const SLOT_MS = 3000;

interface Waiting {
	readonly begin: () => void;
}

export class StartLimiter {
	readonly #limit: number;
	readonly #slotMs: number;
	#running = 0;
	readonly #calls: Waiting[] = [];
	readonly #background: Waiting[] = [];

	constructor(limit: number = STARTS_AT_ONCE, slotMs: number = SLOT_MS) {
		this.#limit = limit;
		this.#slotMs = slotMs;
	}

	/** Run `start` in a slot. `isUrgent` is read while it waits: a call may join a start in the background. */
	async run<T>(start: () => Promise<T>, signal: AbortSignal, isUrgent: boolean): Promise<T> {
		await this.#slot(signal, isUrgent ? this.#calls : this.#background);
		const release = this.#releaseOnce();
		const timer = setTimeout(release, this.#slotMs);
		timer.unref();
		try {
			signal.throwIfAborted();
			return await start();
		} finally {
			clearTimeout(timer);
			release();
		}
	}

	async #slot(signal: AbortSignal, queue: Waiting[]): Promise<void> {
		if (signal.aborted) throw OrchestraError.from(signal.reason, 'canceled');
		if (this.#running < this.#limit) {
			this.#running++;
			return;
		}
		await new Promise<void>((resolve, reject) => {
			const waiting: Waiting = {
				begin: () => {
					signal.removeEventListener('abort', onAbort);
					resolve();
				},
			};
			const onAbort = (): void => {
				const at = queue.indexOf(waiting);
				if (at === -1) return;
				queue.splice(at, 1);
				reject(OrchestraError.from(signal.reason, 'canceled'));
			};
			signal.addEventListener('abort', onAbort, { once: true });
			queue.push(waiting);
		});
	}

	#releaseOnce(): () => void {
		let isReleased = false;
		return () => {
			if (isReleased) return;
			isReleased = true;
			const next = this.#calls.shift() ?? this.#background.shift();
			if (next) next.begin();
			else this.#running--;
		};
	}
}
