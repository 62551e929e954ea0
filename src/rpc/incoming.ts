/* A request of the peer while we work on it. */
import { OrchestraError } from '../errors.ts';
import type { Id } from '../wire/json-rpc.ts';
import { Cancelable } from './cancelable.ts';

/** A request of the peer while we work on it. */
export class IncomingCall extends Cancelable {
	readonly id: Id;
	readonly method: string;
	readonly params: unknown;
	/** The message as it came; empty for a call that came in another way. */
	readonly text: string;

	constructor(id: Id, method: string, params: unknown, text = '') {
		super();
		this.id = id;
		this.method = method;
		this.params = params;
		this.text = text;
	}

	/** True once the peer gave the request up: no answer will be sent. */
	get isCanceled(): boolean {
		return this.cancelReason !== undefined;
	}

	/** The peer gave the request up. */
	cancel(reason: string): void {
		this.abort(new OrchestraError('canceled', reason));
	}
}
