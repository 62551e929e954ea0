/* Messages that are not written to the operating system yet: backpressure for the sender. */
import type { OrchestraError } from '../../errors.ts';
import { type Deferred, deferred } from '../../rpc/deferred.ts';
import { HIGH_WATER_BYTES } from '../transport-limits.ts';

export class UnsentCount {
	#characters = 0;
	#messages = 0;
	#flushed: Deferred<void> | undefined;
	#failure: OrchestraError | undefined;

	/** False above the high-water mark. */
	get hasRoom(): boolean {
		return this.#characters <= HIGH_WATER_BYTES;
	}

	/** Count a message; call the returned function when it was written, or never will be. More calls do nothing. */
	add(characters: number): () => void {
		this.#characters += characters;
		this.#messages++;
		let isCounted = true;
		return () => {
			if (!isCounted) return;
			isCounted = false;
			this.#characters -= characters;
			this.#messages--;
			if (this.#messages > 0) return;
			this.#flushed?.resolve();
			this.#flushed = undefined;
		};
	}

	/** Resolves when no message is counted. Rejects after `fail`. */
	flushed(): Promise<void> {
		if (this.#failure) return Promise.reject(this.#failure);
		if (this.#messages === 0) return Promise.resolve();
		this.#flushed ??= deferred();
		return this.#flushed.promise;
	}

	/** Reject all that wait, now and later. */
	fail(reason: OrchestraError): void {
		this.#failure = reason;
		this.#flushed?.reject(reason);
	}
}
