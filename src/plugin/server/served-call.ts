/*
 * One request at the server. Its `AbortSignal` is expensive compared to the rest of a
 * call, so it is created on first use.
 */
import { OrchestraError } from '../../errors.ts';
import type { LinkPeer } from '../../link/link.ts';
import type { ServerCall } from './handlers.ts';

export class ServedCall implements ServerCall {
	readonly requestId: string;
	readonly peer: LinkPeer;
	#controller: AbortController | undefined;
	#reason: OrchestraError | undefined;
	#wake: (() => void) | undefined;

	constructor(requestId: string, peer: LinkPeer) {
		this.requestId = requestId;
		this.peer = peer;
	}

	get isAborted(): boolean {
		return this.#reason !== undefined;
	}

	get signal(): AbortSignal {
		if (!this.#controller) {
			this.#controller = new AbortController();
			if (this.#reason) this.#controller.abort(this.#reason);
		}
		return this.#controller.signal;
	}

	abort(reason: OrchestraError): void {
		if (this.#reason) return;
		this.#reason = reason;
		this.#controller?.abort(reason);
		this.#wake?.();
	}

	/** The caller canceled the call. */
	cancel(): void {
		this.abort(new OrchestraError('canceled', 'the caller canceled the call'));
	}

	throwIfAborted(): void {
		if (this.#reason) throw this.#reason;
	}

	aborted(): Promise<void> {
		return new Promise((resolve) => {
			this.#wake = resolve;
			if (this.#reason) resolve();
		});
	}

	/** This call with more members, for streaming calls and subscriptions. */
	with<T extends object>(more: T): ServerCall & T {
		const { requestId, peer } = this;
		const signalOf = (): AbortSignal => this.signal;
		const call = {
			requestId,
			peer,
			get signal(): AbortSignal {
				return signalOf();
			},
		};
		return Object.assign(call, more);
	}
}
