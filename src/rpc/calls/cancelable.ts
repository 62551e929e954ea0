/*
 * Work that its caller may cancel.
 *
 * The abort signal is created on first use: an `AbortController` costs more than the
 * rest of a small call.
 */
import type { OrchestraError } from '../../errors.ts';

/** The cancellation state of one call. */
export class Cancelable {
	#controller: AbortController | undefined;
	#reason: OrchestraError | undefined;
	#listeners: Array<(reason: OrchestraError) => void> | undefined;

	/** Aborted when the caller cancels the work or disconnects. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#reason) this.#controller.abort(this.#reason);
		}
		return this.#controller.signal;
	}

	/** The reason of the cancellation; undefined before it. */
	get cancelReason(): OrchestraError | undefined {
		return this.#reason;
	}

	/** Call `listener` on cancellation, or at once if it happened before. Cheaper than `signal`. */
	onCancel(listener: (reason: OrchestraError) => void): void {
		if (this.#reason) listener(this.#reason);
		else (this.#listeners ??= []).push(listener);
	}

	/** Cancel the work. Idempotent: only the first reason counts. */
	abort(reason: OrchestraError): void {
		if (this.#reason) return;
		this.#reason = reason;
		this.#controller?.abort(reason);
		for (const listener of this.#listeners ?? []) listener(reason);
	}
}
