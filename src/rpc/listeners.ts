/* The listeners of one event. */
import { messageOf } from '../errors.ts';

/** The part of a log that is needed. */
interface Warnings {
	warn(message: string): void;
}

export class Listeners<T> {
	readonly #log: Warnings | undefined;
	readonly #listeners = new Set<(value: T) => void>();

	/** @param log with it, a listener that throws does not keep the others from being called */
	constructor(log?: Warnings) {
		this.#log = log;
	}

	/** Returns the function that removes the listener. */
	readonly add = (listener: (value: T) => void): (() => void) => {
		// A function of its own, so that one listener may be added twice.
		const wrapped = (value: T): void => listener(value);
		this.#listeners.add(wrapped);
		return () => void this.#listeners.delete(wrapped);
	};

	/** Remove all listeners. */
	clear(): void {
		this.#listeners.clear();
	}

	/** Call all listeners. */
	emit(value: T): void {
		for (const listener of this.#listeners) {
			try {
				listener(value);
			} catch (error) {
				if (this.#log === undefined) throw error;
				this.#log.warn(`a listener failed: ${messageOf(error)}`);
			}
		}
	}
}
