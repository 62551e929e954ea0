/* A request of the peer that is in flight. */
import { OrchestraError } from '../../errors.ts';
import type { Id } from '../../wire/json-rpc.ts';
import { member } from '../../wire/message-member.ts';
import type { MessageView } from '../../wire/message-view.ts';
import { Cancelable } from './cancelable.ts';

/** A request of the peer that was taken as a view: it is answered as text, or goes to the handler after all. */
export interface ViewedRequest {
	readonly requestId: Id;
	readonly method: string;
	/** The peer cancels it, or is gone. */
	cancel(reason: string, isByPeer?: boolean): void;
}

/** Where viewed requests come from, and where their answers go. */
export interface RequestOrigin {
	/** Register a request that is taken. False when it cannot be served now. */
	beginCall(request: ViewedRequest): boolean;
	/** Take back `beginCall`. */
	withdrawCall(request: ViewedRequest): void;
	/** Send the response to a request that was begun. */
	answerCall(request: ViewedRequest, text: string): void;
	/** Let the handler serve a request that was begun. */
	resumeCall(request: ViewedRequest, call: IncomingCall): void;
}

/** A request of the peer, as the handler sees it. */
export class IncomingCall extends Cancelable {
	readonly id: Id;
	readonly method: string;
	/** The message as received; empty for a call that did not arrive as JSON-RPC. */
	readonly text: string;
	/** What the taker of a viewed call has received, when the call goes on by the general route. */
	received: unknown;
	#params: unknown;
	#view: MessageView | undefined;

	constructor(id: Id, method: string, params: unknown, text = '') {
		super();
		this.id = id;
		this.method = method;
		this.#params = params;
		this.text = text;
	}

	/** A call whose params are parsed when they are read. */
	static ofView(id: Id, method: string, view: MessageView): IncomingCall {
		const call = new IncomingCall(id, method, undefined, view.text);
		call.#view = view;
		return call;
	}

	get params(): unknown {
		if (this.#view) {
			this.#params = this.#view.value(member.params);
			this.#view = undefined;
		}
		return this.#params;
	}

	/** True once the request is canceled: no response will be sent. */
	get isCanceled(): boolean {
		return this.cancelReason !== undefined;
	}

	/** Cancel the request. Idempotent. `isByPeer`: the peer asked for it, and is still there. */
	cancel(reason: string, isByPeer = false): void {
		this.abort(new OrchestraError('canceled', reason, { data: { isByPeer } }));
	}
}
