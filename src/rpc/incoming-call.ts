/* A request of the peer that is in flight. */
import { OrchestraError } from '../errors.ts';
import type { Id } from '../wire/json-rpc.ts';
import { Cancelable } from './cancelable.ts';

/** A request of the peer, as the handler sees it. */
export class IncomingCall extends Cancelable {
	readonly id: Id;
	readonly method: string;
	readonly params: unknown;
	/** The message as received; empty for a call that did not arrive as JSON-RPC. */
	readonly text: string;

	constructor(id: Id, method: string, params: unknown, text = '') {
		super();
		this.id = id;
		this.method = method;
		this.params = params;
		this.text = text;
	}

	/** True once the request is canceled: no response will be sent. */
	get isCanceled(): boolean {
		return this.cancelReason !== undefined;
	}

	/** Cancel the request. Idempotent. */
	cancel(reason: string): void {
		this.abort(new OrchestraError('canceled', reason));
	}
}
