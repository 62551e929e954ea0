/* One request under way at the server. */
import { OrchestraError } from '../../errors.ts';
import type { LinkPeer } from '../../link/link.ts';
import { Cancelable } from '../../rpc/calls/cancelable.ts';
import type { ServerCall } from './handlers.ts';

export class ActiveRequest extends Cancelable implements ServerCall {
	/** Unique on its stream, unlike the id. */
	readonly number: number;
	readonly requestId: string;
	readonly peer: LinkPeer;

	constructor(number: number, requestId: string, peer: LinkPeer) {
		super();
		this.number = number;
		this.requestId = requestId;
		this.peer = peer;
	}

	get isAborted(): boolean {
		return this.cancelReason !== undefined;
	}

	/** The caller canceled the call. */
	cancel(): void {
		this.abort(new OrchestraError('canceled', 'the caller canceled the call'));
	}

	throwIfAborted(): void {
		if (this.cancelReason) throw this.cancelReason;
	}

	aborted(): Promise<void> {
		return new Promise((resolve) => this.onCancel(() => resolve()));
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
