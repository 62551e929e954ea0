/*
 * A request of the peer while we work on it.
 *
 * The cancellation signal is made only when somebody reads it: an
 * `AbortController` costs more than all the rest of a small call.
 */
import { OrchestraError } from '../errors.ts';
import type { Id } from '../wire/json-rpc.ts';

export class IncomingCall {
	readonly id: Id;
	readonly method: string;
	readonly params: unknown;
	/** The message as it came; empty for a call that came in another way. */
	readonly text: string;
	#controller: AbortController | undefined;
	#cancelReason: OrchestraError | undefined;
	#listeners: Array<(reason: OrchestraError) => void> | undefined;

	constructor(id: Id, method: string, params: unknown, text = '') {
		this.id = id;
		this.method = method;
		this.params = params;
		this.text = text;
	}

	/** Aborted when the peer gives the request up or is gone. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#cancelReason) this.#controller.abort(this.#cancelReason);
		}
		return this.#controller.signal;
	}

	/** Call `listener` when the peer gives the request up, or at once if it has: all that most need of a signal. */
	onCancel(listener: (reason: OrchestraError) => void): void {
		if (this.#cancelReason) listener(this.#cancelReason);
		else (this.#listeners ??= []).push(listener);
	}

	/** True once the peer gave the request up: no answer will be sent. */
	get isCanceled(): boolean {
		return this.#cancelReason !== undefined;
	}

	/** The peer gave the request up. */
	cancel(reason: string): void {
		if (this.#cancelReason) return;
		this.#cancelReason = new OrchestraError('canceled', reason);
		this.#controller?.abort(this.#cancelReason);
		for (const listener of this.#listeners ?? []) listener(this.#cancelReason);
	}
}
