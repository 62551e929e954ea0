/* The listeners of one event. */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';

export class Listeners<T> {
	readonly #log: Log;
	readonly #listeners = new Set<(value: T) => void>();

	constructor(log: Log) {
		this.#log = log;
	}

	/** Returns the function that removes the listener. */
	add(listener: (value: T) => void): () => void {
		// A function of its own, so that one listener may be added twice.
		const own = (value: T): void => listener(value);
		this.#listeners.add(own);
		return () => void this.#listeners.delete(own);
	}

	/** Call all listeners. One that throws does not keep the others from being called. */
	emit(value: T): void {
		for (const listener of this.#listeners) {
			try {
				listener(value);
			} catch (error) {
				this.#log.warn(`a listener failed: ${messageOf(error)}`);
			}
		}
	}
}
