/*
 * Bounds how many MCP servers of a hub start at the same time: a hundred programs that
 * start together take longer than one after the other, and block the machine.
 *
 * Starts for calls go before those in the background. Each begins in a turn of the event
 * loop of its own, because a spawn blocks for milliseconds. A start that takes long gives its
 * slot back, so that a server that hangs does not delay the others.
 */
import { OrchestraError } from '../../../errors.ts';

/** Most starts at a time. */
export const STARTS_AT_ONCE = 4;
/** How long a start may hold its slot, in milliseconds. */
const SLOT_MS = 3000;

export interface LimitedStart<T> {
	readonly start: () => Promise<T>;
	/** Ends the wait for a slot. */
	readonly signal: AbortSignal;
	/** True when a call waits for it; read when a slot is free. */
	readonly isUrgent: () => boolean;
}

interface Waiting {
	readonly isUrgent: () => boolean;
	readonly begin: () => void;
}

export class StartLimiter {
	readonly #slotMs: number;
	readonly #queue: Waiting[] = [];
	#running = 0;
	/** Resolves when the last start has begun. */
	#begun: Promise<void> = Promise.resolve();

	/** @param slotMs how long a start may hold its slot */
	constructor(slotMs: number = SLOT_MS) {
		this.#slotMs = slotMs;
	}

	/** Run a start in a slot. Rejects when its signal is aborted before a slot is free. */
	async run<T>({ start, signal, isUrgent }: LimitedStart<T>): Promise<T> {
		if (signal.aborted) throw OrchestraError.from(signal.reason, 'canceled');
		if (this.#running < STARTS_AT_ONCE) this.#running++;
		else await this.#wait(signal, isUrgent);
		const release = this.#releaseOnce();
		const timer = setTimeout(release, this.#slotMs);
		timer.unref();
		try {
			await this.#ownTurn();
			signal.throwIfAborted();
			return await start();
		} finally {
			clearTimeout(timer);
			release();
		}
	}

	#ownTurn(): Promise<void> {
		this.#begun = this.#begun.then(() => new Promise((resolve) => setImmediate(resolve)));
		return this.#begun;
	}

	#wait(signal: AbortSignal, isUrgent: () => boolean): Promise<void> {
		return new Promise<void>((resolve, reject) => {
			const begin = (): void => {
				signal.removeEventListener('abort', onAbort);
				resolve();
			};
			const waiting: Waiting = { isUrgent, begin };
			const onAbort = (): void => {
				const at = this.#queue.indexOf(waiting);
				if (at === -1) return;
				this.#queue.splice(at, 1);
				reject(OrchestraError.from(signal.reason, 'canceled'));
			};
			signal.addEventListener('abort', onAbort, { once: true });
			this.#queue.push(waiting);
		});
	}

	#releaseOnce(): () => void {
		let isReleased = false;
		return () => {
			if (isReleased) return;
			isReleased = true;
			const urgent = this.#queue.findIndex(({ isUrgent }) => isUrgent());
			const [next] = this.#queue.splice(Math.max(0, urgent), 1);
			if (next) next.begin();
			else this.#running--;
		};
	}
}
