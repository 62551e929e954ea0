/*
 * The peer's calls: each is handed to the handler and answered once.
 *
 * A handler that returns a plain value is answered in the same tick, without a
 * promise and without an entry in the table. Only what takes time is remembered,
 * for cancellation, for the check of duplicate ids, and for the end of the pipe.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import {
	encodeError,
	encodeId,
	encodeResult,
	idKey,
	isId,
	type RpcErrorObject,
	type RpcRequest,
	rpcCodes,
} from '../wire/json-rpc.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { BatchAnswer } from './batch.ts';
import type { Clock } from './clock.ts';
import { IncomingCall } from './incoming.ts';
import { rpcError, toRpcError } from './rpc-error.ts';

/** How many requests of the peer run at once. Further ones wait; beyond the queue they are refused. */
export const INCOMING_LIMIT = 10_000;

/** An answer that is no larger than the error in its place. */
const SMALL_ANSWER_CHARACTERS = 512;

export interface ServingParts {
	onRequest: (call: IncomingCall) => unknown;
	/** Sends an answer, alone or as part of a batch. */
	reply: (text: string, batch: BatchAnswer | undefined) => void;
	budget: Pick<AnswerBudget, 'hasRoom' | 'limit'>;
	/** As many ran as may, and one is done. */
	onRoom: () => void;
	clock: Clock;
	log: Log;
}

export class Serving {
	readonly #parts: ServingParts;
	readonly #calls = new Map<string | number, Running>();
	readonly #drainWaiters: (() => void)[] = [];

	constructor(parts: ServingParts) {
		this.#parts = parts;
	}

	get count(): number {
		return this.#calls.size;
	}

	/** True while no further request may run. */
	get isFull(): boolean {
		return this.#calls.size >= INCOMING_LIMIT;
	}

	/**
	 * @param text the message as it came
	 * @param batch collects the answer when the request was part of an array
	 */
	serve({ id, method, params }: RpcRequest, text: string, batch: BatchAnswer | undefined): void {
		const key = idKey(id);
		batch?.expect();
		if (this.#calls.has(key)) {
			const message = `id ${encodeId(id)} is already in flight`;
			return this.#parts.reply(encodeError(id, { code: rpcCodes.invalidRequest, message }), batch);
		}
		const call = new IncomingCall(id, method, params, text);
		try {
			const result = this.#parts.onRequest(call);
			if (isPromiseLike(result)) this.#later(key, call, result, batch);
			else this.#answer(call, result, batch);
		} catch (error) {
			this.#fail(call, error, batch);
		}
	}

	/** Refuse a request because too many wait. */
	refuse({ id }: RpcRequest, batch: BatchAnswer | undefined): void {
		batch?.expect();
		this.#parts.reply(encodeError(id, tooMany), batch);
	}

	/** The peer gave up the request with this id; false when it does not run. */
	cancel(id: unknown): boolean {
		const running = isId(id) ? this.#calls.get(idKey(id)) : undefined;
		if (running) giveUp(running, 'the peer gave the request up');
		return running !== undefined;
	}

	/** Give up everything; it stays unanswered. */
	cancelAll(reason: string): void {
		for (const running of this.#calls.values()) giveUp(running, reason);
		this.#calls.clear();
		this.#settleDrain();
	}

	/** Wait until nothing is being worked on; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		if (this.#calls.size === 0) return Promise.resolve(true);
		return new Promise((resolve) => {
			const cancelTimer = this.#parts.clock.after(ms, () => resolve(false));
			this.#drainWaiters.push(() => {
				cancelTimer();
				resolve(true);
			});
		});
	}

	#later(key: string | number, call: IncomingCall, result: PromiseLike<unknown>, batch?: BatchAnswer): void {
		this.#calls.set(key, { call, batch });
		result.then(
			(value) => {
				this.#answer(call, value, batch);
				this.#forget(key, call);
			},
			(error: unknown) => {
				this.#fail(call, error, batch);
				this.#forget(key, call);
			},
		);
	}

	#forget(key: string | number, call: IncomingCall): void {
		if (this.#calls.get(key)?.call !== call) return;
		this.#calls.delete(key);
		if (this.#calls.size === INCOMING_LIMIT - 1) this.#parts.onRoom();
		if (this.#calls.size === 0) this.#settleDrain();
	}

	#settleDrain(): void {
		for (const tell of this.#drainWaiters.splice(0)) tell();
	}

	#answer(call: IncomingCall, result: unknown, batch?: BatchAnswer): void {
		if (call.isCanceled) return;
		this.#reply(call, this.#encode(call, result), batch);
	}

	#encode(call: IncomingCall, result: unknown): string {
		try {
			return encodeResult(call.id, result);
		} catch (error) {
			const reason = rpcError(rpcCodes.internal, `the result is not JSON: ${messageOf(error)}`);
			return encodeError(call.id, toRpcError(reason));
		}
	}

	#fail(call: IncomingCall, thrown: unknown, batch?: BatchAnswer): void {
		if (call.isCanceled) return;
		this.#parts.log.debug(`${call.method} failed: ${messageOf(thrown)}`);
		this.#reply(call, encodeError(call.id, this.#describe(thrown)), batch);
	}

	#reply({ id, method }: IncomingCall, text: string, batch: BatchAnswer | undefined): void {
		if (text.length <= SMALL_ANSWER_CHARACTERS || this.#parts.budget.hasRoom(text.length))
			return this.#parts.reply(text, batch);
		this.#parts.log.debug(
			`the peer does not read: an answer of ${text.length} characters to ${method} is dropped`,
		);
		this.#parts.reply(encodeError(id, unread(text.length, this.#parts.budget.limit)), batch);
	}

	/** Data that is not JSON must not cost the caller the answer. */
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

const tooMany: RpcErrorObject = {
	code: rpcCodes.internal,
	message: `${INCOMING_LIMIT} requests are running and no more can wait`,
	data: { code: 'bad_input', hint: 'Wait for answers, or give some of the requests up.' },
};

function unread(characters: number, limit: number): RpcErrorObject {
	return {
		code: rpcCodes.internal,
		message: `the call has run, but its answer of ${characters} characters was dropped: ${limit} characters of answers wait to be read`,
		data: { code: 'io', hint: 'Read answers while you send requests.' },
	};
}

/** A call that takes time, and the batch that waits for it. */
interface Running {
	readonly call: IncomingCall;
	readonly batch: BatchAnswer | undefined;
}

/** It will not be answered, so nothing else waits for it either. */
function giveUp({ call, batch }: Running, reason: string): void {
	if (call.isCanceled) return;
	call.cancel(reason);
	batch?.add(undefined);
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
	return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
