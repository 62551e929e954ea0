/*
 * The peer's calls: each goes to the handler and gets one response.
 *
 * A plain return value is sent in the same tick, without a promise and without an
 * entry in the table. Only asynchronous calls are in the table, for cancellation, the
 * check of duplicate ids, and the drain at the end of the pipe.
 *
 * `plugin/server/stream-server.ts` serves calls too, but shares only `Cancelable`: one
 * pipe carries all JSON-RPC calls, so ids must be unique, admission is ours, and a
 * canceled call gets no response. There each stream has its own flow control and its
 * own ids, and a canceled call is still answered.
 */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import {
	encodeError,
	encodeResult,
	type Id,
	type RpcErrorObject,
	type RpcRequest,
	rpcCodes,
} from '../../wire/json-rpc.ts';
import type { About } from '../channel.ts';
import type { Clock } from '../clock.ts';
import { rpcError, toRpcError } from '../rpc-error.ts';
import { INCOMING_LIMIT, SMALL_RESPONSE_CHARACTERS } from '../rpc-limits.ts';
import type { BatchResponse } from './batch-response.ts';
import { CallTable } from './call-table.ts';
import { IncomingCall, type RequestOrigin, type ViewedRequest } from './incoming-call.ts';
import { droppedResponse, type ResponseBudget } from './response-budget.ts';

export interface IncomingCallTableDeps {
	onRequest: (call: IncomingCall) => unknown;
	/** Sends a response, alone or as part of a batch. */
	reply: (text: string, batch: BatchResponse | undefined, about: About) => void;
	budget: Pick<ResponseBudget, 'exceededBy'>;
	/** A call ended while the maximum was in flight. */
	onRoom: () => void;
	clock: Clock;
	log: Log;
}

export class IncomingCallTable implements RequestOrigin {
	readonly #deps: IncomingCallTableDeps;
	readonly #calls = new CallTable<Id, InFlight>();
	readonly #drainWaiters: (() => void)[] = [];

	constructor(deps: IncomingCallTableDeps) {
		this.#deps = deps;
	}

	get count(): number {
		return this.#calls.size;
	}

	get isFull(): boolean {
		return this.#calls.size >= INCOMING_LIMIT;
	}

	/**
	 * @param text the message as received
	 * @param batch collects the response when the request was part of a batch
	 */
	serve({ id, method, params }: RpcRequest, text: string, batch: BatchResponse | undefined): void {
		batch?.expect();
		if (this.#calls.has(id)) {
			const message = `id ${id} is already in flight`;
			const text = encodeError(id, { code: rpcCodes.invalidRequest, message });
			return this.#deps.reply(text, batch, responseTo(id));
		}
		const call = new IncomingCall(id, method, params, text);
		try {
			const result = this.#deps.onRequest(call);
			if (isPromiseLike(result)) this.#await(call, result, batch);
			else this.#replyResult(call, result, batch);
		} catch (error) {
			this.#replyError(call, error, batch);
		}
	}

	beginCall(request: ViewedRequest): boolean {
		if (this.isFull || this.#calls.has(request.requestId)) return false;
		this.#calls.set(request.requestId, request);
		return true;
	}

	withdrawCall(request: ViewedRequest): void {
		this.#remove(request.requestId, request);
	}

	answerCall(request: ViewedRequest, text: string): void {
		this.#reply(request.requestId, request.method, text);
		this.#remove(request.requestId, request);
	}

	resumeCall(request: ViewedRequest, call: IncomingCall): void {
		try {
			const result = this.#deps.onRequest(call);
			if (isPromiseLike(result)) return this.#await(call, result);
			this.#replyResult(call, result);
		} catch (error) {
			this.#replyError(call, error);
		}
		this.#remove(call.id, request);
	}

	refuse({ id }: RpcRequest, batch: BatchResponse | undefined): void {
		batch?.expect();
		this.#deps.reply(encodeError(id, tooMany), batch, responseTo(id));
	}

	/** Cancel the request with this id for the peer; false when it is not in flight. */
	cancel(id: Id): boolean {
		const running = this.#calls.get(id);
		running?.cancel('the peer canceled the request', true);
		return running !== undefined;
	}

	cancelAll(reason: string): void {
		for (const running of this.#calls.values()) running.cancel(reason);
		this.#calls.clear();
		this.#settleDrain();
	}

	/** Wait until no call is in flight; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		if (this.#calls.size === 0) return Promise.resolve(true);
		return new Promise((resolve) => {
			const cancelTimer = this.#deps.clock.after(ms, () => resolve(false));
			this.#drainWaiters.push(() => {
				cancelTimer();
				resolve(true);
			});
		});
	}

	#await(call: IncomingCall, result: PromiseLike<unknown>, batch?: BatchResponse): void {
		const running = new RunningCall(call, batch);
		this.#calls.set(call.id, running);
		result.then(
			(value) => {
				this.#replyResult(call, value, batch);
				this.#remove(call.id, running);
			},
			(error: unknown) => {
				this.#replyError(call, error, batch);
				this.#remove(call.id, running);
			},
		);
	}

	#remove(id: Id, call: InFlight): void {
		if (this.#calls.get(id) !== call) return;
		this.#calls.take(id);
		if (this.#calls.size === INCOMING_LIMIT - 1) this.#deps.onRoom();
		if (this.#calls.size === 0) this.#settleDrain();
	}

	#settleDrain(): void {
		for (const resolve of this.#drainWaiters.splice(0)) resolve();
	}

	#replyResult(call: IncomingCall, result: unknown, batch?: BatchResponse): void {
		if (call.isCanceled) return;
		this.#reply(call.id, call.method, this.#encode(call, result), batch);
	}

	#encode(call: IncomingCall, result: unknown): string {
		try {
			return encodeResult(call.id, result);
		} catch (error) {
			const message = `the result is not JSON: ${messageOf(error)}`;
			const reason = rpcError(rpcCodes.internal, message, { outcome: 'ran' });
			return encodeError(call.id, toRpcError(reason));
		}
	}

	#replyError(call: IncomingCall, thrown: unknown, batch?: BatchResponse): void {
		if (call.isCanceled) return;
		this.#deps.log.debug(`${call.method} failed: ${messageOf(thrown)}`);
		this.#reply(call.id, call.method, encodeError(call.id, this.#describe(thrown)), batch);
	}

	#reply(id: Id, method: string, text: string, batch?: BatchResponse): void {
		const isSmall = text.length <= SMALL_RESPONSE_CHARACTERS;
		const limit = isSmall ? undefined : this.#deps.budget.exceededBy(text.length);
		if (limit === undefined) return this.#deps.reply(text, batch, responseTo(id));
		this.#deps.log.debug(
			`the peer does not read: dropped a response of ${text.length} characters to ${method}`,
		);
		this.#deps.reply(encodeError(id, droppedResponse(text.length, limit)), batch, responseTo(id));
	}

	/** `data` that is not JSON is dropped, so that the caller still gets the error. */
	#describe(thrown: unknown): RpcErrorObject {
		const { code, message, data } = toRpcError(thrown);
		try {
			return data === undefined || JSON.stringify(data) === undefined
				? { code, message }
				: { code, message, data };
		} catch {
			return { code, message }; // a cycle or a BigInt in `data`: the message alone still explains it
		}
	}
}

function responseTo(id: Id): About {
	return { id, isResponse: true };
}

const tooMany: RpcErrorObject = {
	code: rpcCodes.internal,
	message: `${INCOMING_LIMIT} requests are in flight and the queue is full`,
	data: { code: 'bad_input', outcome: 'not_run', hint: 'Wait for responses, or cancel some requests.' },
};

/** A call of the peer that has no response yet. */
type InFlight = Pick<ViewedRequest, 'cancel'>;

/** An asynchronous call, and its batch. */
class RunningCall implements InFlight {
	readonly #call: IncomingCall;
	readonly #batch: BatchResponse | undefined;

	constructor(call: IncomingCall, batch: BatchResponse | undefined) {
		this.#call = call;
		this.#batch = batch;
	}

	/** A canceled call gets no response, so its batch must not wait for it. */
	cancel(reason: string, isByPeer = false): void {
		if (this.#call.isCanceled) return;
		this.#call.cancel(reason, isByPeer);
		this.#batch?.add(undefined);
	}
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
	return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
