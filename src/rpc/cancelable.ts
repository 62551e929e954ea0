/*
 * Work that its caller may give up.
 *
 * The signal is made only when somebody reads it: an `AbortController` costs more
 * than all the rest of a small call.
 */
import type { OrchestraError } from '../errors.ts';

export class Cancelable {
	#controller: AbortController | undefined;
	#reason: OrchestraError | undefined;
	#listeners: Array<(reason: OrchestraError) => void> | undefined;

	/** Aborted when the caller gives the work up or is gone. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#reason) this.#controller.abort(this.#reason);
		}
		return this.#controller.signal;
	}

	/** Why the caller gave the work up; undefined while it is wanted. */
	get cancelReason(): OrchestraError | undefined {
		return this.#reason;
	}

	/** Call `listener` when the caller gives the work up, or at once if it has: all that most need of a signal. */
	onCancel(listener: (reason: OrchestraError) => void): void {
		if (this.#reason) listener(this.#reason);
		else (this.#listeners ??= []).push(listener);
	}

	/** The work is not wanted any more. Only the first reason counts. */
	abort(reason: OrchestraError): void {
		if (this.#reason) return;
		this.#reason = reason;
		this.#controller?.abort(reason);
		for (const listener of this.#listeners ?? []) listener(reason);
	}
}
