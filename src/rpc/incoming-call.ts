/*
 * A request of the peer that is in flight.
 *
 * The abort signal is created on first use: an `AbortController` costs more than
 * the rest of a small call.
 */
import { OrchestraError } from '../errors.ts';
import type { Id } from '../wire/json-rpc.ts';

/** A request of the peer, as the handler sees it. */
export class IncomingCall {
	readonly id: Id;
	readonly method: string;
	readonly params: unknown;
	/** The message as received; empty for a call that did not arrive as JSON-RPC. */
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

	/** Aborted when the peer cancels the request or disconnects. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#cancelReason) this.#controller.abort(this.#cancelReason);
		}
		return this.#controller.signal;
	}

	/** Call `listener` when the request is canceled, or at once if it already is. Cheaper than `signal`. */
	onCancel(listener: (reason: OrchestraError) => void): void {
		if (this.#cancelReason) listener(this.#cancelReason);
		else (this.#listeners ??= []).push(listener);
	}

	/** True once the request is canceled: no response will be sent. */
	get isCanceled(): boolean {
		return this.#cancelReason !== undefined;
	}

	/** Cancel the request. Idempotent. */
	cancel(reason: string): void {
		if (this.#cancelReason) return;
		this.#cancelReason = new OrchestraError('canceled', reason);
		this.#controller?.abort(this.#cancelReason);
		for (const listener of this.#listeners ?? []) listener(this.#cancelReason);
	}
}
