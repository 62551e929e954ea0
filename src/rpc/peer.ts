/*
 * One end of a JSON-RPC conversation: calls out, calls in, both at once.
 *
 * The peer sits between a `Channel` and the code that answers requests. It never
 * waits while it reads: an answer is text handed to the channel, and when the
 * channel is congested, reading stops until the other side has caught up, so a
 * slow reader slows its own requests and nothing piles up. A handler that
 * returns a plain value is answered in the same tick, without a promise.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { parseJson } from '../wire/json.ts';
import {
	encodeError,
	encodeNotification,
	encodeRequest,
	encodeResult,
	type Id,
	idFromHead,
	idKey,
	type RpcErrorObject,
	type RpcRequest,
	type RpcResponse,
	readMessage,
	rpcCodes,
} from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { BatchAnswer } from './batch.ts';
import type { Channel, Receiver } from './channel.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Dialect, mcpDialect } from './dialect.ts';
import { IncomingCall } from './incoming.ts';
import { PendingCalls } from './pending.ts';
import { methodNotFound, rpcError, toRpcError } from './rpc-error.ts';

/** How long a request waits for an answer unless it says otherwise, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** How many requests of the peer are worked on at once before reading stops. */
export const INCOMING_LIMIT = 10_000;

export interface PeerOptions {
	/** Answers the peer's requests: return the result or a promise of it, or throw. Default: method not found. */
	onRequest?: (call: IncomingCall) => unknown;
	/** Takes the peer's notifications, cancellation and progress of ours included. */
	onNotification?: (method: string, params: unknown) => void;
	/** A `server` answers lines that are no messages with an error; a `client` (default) sets them aside. */
	role?: 'server' | 'client';
	/** Whether an array is a batch now. Default: never. */
	acceptsBatch?: () => boolean;
	/** The id of an error answer when the real one is unknown: `null`, or undefined to leave it out. */
	unknownId?: () => null | undefined;
	/** An answer with an unknown id fails the oldest call instead of being dropped. */
	strict?: boolean;
	dialect?: Dialect;
	clock?: Clock;
	log?: Log;
}

export interface RequestOptions {
	/** Longest silence in milliseconds; progress starts it again. Default 30 s. */
	timeoutMs?: number | undefined;
	/** Cap on the whole time, whatever progress comes. Default: none. */
	maxTotalMs?: number | undefined;
	signal?: AbortSignal | undefined;
	/** Ask for progress and take it. */
	onProgress?: ((params: unknown) => void) | undefined;
}

export class Peer implements Receiver {
	readonly #channel: Channel;
	readonly #options: PeerOptions;
	readonly #dialect: Dialect;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #pending: PendingCalls;
	readonly #incoming = new Map<string | number, IncomingCall>();
	readonly #drainWaiters: (() => void)[] = [];
	#nextId = 1;
	#endReason: OrchestraError | undefined;
	#isBraking = false;

	/** The caller starts the channel with this peer as its receiver. */
	constructor(channel: Channel, options: PeerOptions = {}) {
		this.#channel = channel;
		this.#options = options;
		this.#dialect = options.dialect ?? mcpDialect;
		this.#clock = options.clock ?? systemClock;
		this.#log = options.log ?? Log.silent;
		this.#pending = new PendingCalls(this.#clock, (call, error) => this.#sendCancel(call.id, error.message));
	}

	/** Requests of the peer that are being worked on. */
	get incomingCount(): number {
		return this.#incoming.size;
	}

	/** Our requests that wait for an answer. */
	get pendingCount(): number {
		return this.#pending.size;
	}

	/** Call the peer. Rejects with `rpc`, `timeout`, `canceled`, `closed` or `bad_input`. */
	request(method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
		return new Promise((resolve, reject) => {
			if (this.#endReason) return reject(this.#endReason);
			if (options.signal?.aborted) return reject(canceled(method, options.signal));
			const id = this.#nextId++;
			try {
				const asked = options.onProgress ? this.#dialect.withProgressToken(params, id) : params;
				this.#post(serialize(() => encodeRequest(id, method, asked)));
			} catch (error) {
				return reject(OrchestraError.from(error, 'io'));
			}
			this.#await(id, method, options, { resolve, reject });
		});
	}

	/** Tell the peer something. Throws when the pipe is closed. */
	notify(method: string, params?: unknown): void {
		if (this.#endReason && this.#options.role !== 'server') throw this.#endReason;
		this.#post(serialize(() => encodeNotification(method, params)));
	}

	/** Resolves when all we have said is with the operating system. */
	flushed(): Promise<void> {
		return this.#channel.flushed();
	}

	/** Wait until no request of the peer is being worked on; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		if (this.#incoming.size === 0) return Promise.resolve(true);
		return new Promise((resolve) => {
			const cancelTimer = this.#clock.after(ms, () => resolve(false));
			this.#drainWaiters.push(() => {
				cancelTimer();
				resolve(true);
			});
		});
	}

	/** Give up the peer's requests that are still being worked on; they stay unanswered. */
	cancelIncoming(reason: string): void {
		for (const call of this.#incoming.values()) call.cancel(reason);
		this.#incoming.clear();
		this.#settleDrain();
	}

	message(text: string): void {
		let value: unknown;
		try {
			value = parseJson(text);
		} catch (error) {
			return this.#garbage(text, error);
		}
		if (Array.isArray(value)) this.#batch(value, text);
		else this.#take(value, text, undefined);
	}

	oversize({ limitBytes, head }: OversizeLine): void {
		const known = idFromHead(head);
		const message = `message is longer than the limit of ${limitBytes} bytes`;
		if (this.#options.role === 'server' && known?.isRequest !== false) {
			return this.#answerError(known?.id, { code: rpcCodes.invalidRequest, message });
		}
		const error = new OrchestraError('bad_frame', message, {
			hint: 'Raise `limitBytes`, or have the data sent as a resource link.',
			data: { limitBytes },
		});
		this.#log.warn(`${message}; it was dropped`);
		if (known && !known.isRequest) this.#pending.take(known.id)?.reject(error);
	}

	end(reason: OrchestraError): void {
		this.#endReason ??= reason;
		this.#pending.failAll(reason);
	}

	/** @param batch collects the answer when the message was part of an array */
	#take(value: unknown, text: string, batch: BatchAnswer | undefined): void {
		const read = readMessage(value, text);
		switch (read.kind) {
			case 'request':
				return this.#serve(read.message, batch);
			case 'response':
				return this.#settle(read.message);
			case 'notification':
				return this.#hear(read.message.method, read.message.params);
			case 'invalid':
				return this.#invalid(read.id, read.reason, text, batch);
		}
	}

	#serve(request: RpcRequest, batch: BatchAnswer | undefined): void {
		const { id, method } = request;
		const key = idKey(id);
		if (this.#incoming.has(key)) {
			const message = `id ${JSON.stringify(id)} is already in flight`;
			return this.#answerError(id, { code: rpcCodes.invalidRequest, message }, batch);
		}
		const call = new IncomingCall(id, method, request.params);
		batch?.expect();
		try {
			const result = this.#options.onRequest
				? this.#options.onRequest(call)
				: Promise.reject(methodNotFound(method));
			if (isPromiseLike(result)) this.#serveLater(key, call, result, batch);
			else this.#answer(call, result, batch);
		} catch (error) {
			this.#fail(call, error, batch);
		}
	}

	#serveLater(
		key: string | number,
		call: IncomingCall,
		result: PromiseLike<unknown>,
		batch?: BatchAnswer,
	): void {
		this.#incoming.set(key, call);
		if (this.#incoming.size >= INCOMING_LIMIT) this.#channel.pause();
		result.then(
			(value) => {
				this.#finish(key, call);
				this.#answer(call, value, batch);
			},
			(error: unknown) => {
				this.#finish(key, call);
				this.#fail(call, error, batch);
			},
		);
	}

	#finish(key: string | number, call: IncomingCall): void {
		if (this.#incoming.get(key) !== call) return;
		this.#incoming.delete(key);
		if (this.#incoming.size === INCOMING_LIMIT - 1 && !this.#isBraking) this.#channel.resume();
		if (this.#incoming.size === 0) this.#settleDrain();
	}

	#settleDrain(): void {
		// The answer of the last call is posted right after this; let it go first.
		if (this.#drainWaiters.length > 0)
			queueMicrotask(() => this.#drainWaiters.splice(0).forEach((tell) => tell()));
	}

	#answer(call: IncomingCall, result: unknown, batch?: BatchAnswer): void {
		if (call.isCanceled) return batch?.add(undefined);
		let text: string;
		try {
			text = encodeResult(call.id, result);
		} catch (error) {
			return this.#fail(
				call,
				rpcError(rpcCodes.internal, `the result is not JSON: ${messageOf(error)}`),
				batch,
			);
		}
		this.#reply(text, batch);
	}

	#fail(call: IncomingCall, error: unknown, batch?: BatchAnswer): void {
		if (call.isCanceled) return batch?.add(undefined);
		this.#log.debug(`${call.method} failed: ${messageOf(error)}`);
		this.#reply(encodeError(call.id, toRpcError(error)), batch);
	}

	#settle({ id, result, error }: RpcResponse): void {
		const call = this.#pending.take(id);
		if (call === undefined) return this.#unknownAnswer(id);
		if (error) call.reject(rpcError(error.code, error.message, error.data));
		else call.resolve(result);
	}

	#unknownAnswer(id: Id | null): void {
		this.#log.debug(`dropped an answer with id ${JSON.stringify(id)}: nothing waits for it`);
		const { oldest } = this.#pending;
		if (!this.#options.strict || oldest === undefined) return;
		const message = `response id ${JSON.stringify(id)} doesn't match request id ${oldest.id}`;
		this.#pending.take(oldest.id)?.reject(new OrchestraError('bad_frame', message));
	}

	#hear(method: string, params: unknown): void {
		const canceledId = this.#dialect.canceledId(method, params);
		// The id of a call is a string or a number; anything else is in no table.
		if (canceledId !== undefined)
			this.#incoming.get(canceledId as string | number)?.cancel('the peer gave the request up');
		const token = this.#dialect.progressToken(method, params);
		if (token !== undefined) this.#pending.touch(token)?.onProgress?.(params);
		this.#options.onNotification?.(method, params);
	}

	#invalid(id: Id | null, reason: string, text: string, batch: BatchAnswer | undefined): void {
		if (this.#options.role !== 'server') return this.#channel.noteStray(text);
		this.#answerError(
			id ?? undefined,
			{ code: rpcCodes.invalidRequest, message: `invalid request: ${reason}` },
			batch,
		);
	}

	#garbage(text: string, error: unknown): void {
		if (text.trim() === '') return;
		if (this.#options.role !== 'server') {
			this.#channel.noteStray(text);
			if (this.#options.strict) this.#failOldest(text, error);
			return;
		}
		this.#answerError(undefined, { code: rpcCodes.parse, message: `parse error: ${messageOf(error)}` });
	}

	#failOldest(text: string, cause: unknown): void {
		const error = new OrchestraError('parse', `failed to parse response: ${messageOf(cause)}`, {
			cause,
			data: { text },
		});
		this.#pending.take(this.#pending.oldest?.id)?.reject(error);
	}

	#batch(values: unknown[], text: string): void {
		if (!this.#options.acceptsBatch?.() || values.length === 0) {
			const reason =
				values.length === 0 ? 'a batch must not be empty' : 'batches are not part of this protocol version';
			return this.#invalid(null, reason, text, undefined);
		}
		const batch = new BatchAnswer((answer) => this.#postAnswer(answer));
		// Exact ids need the text of the item itself.
		for (const value of values) this.#take(value, JSON.stringify(value), batch);
		batch.seal();
	}

	#answerError(id: Id | undefined, error: RpcErrorObject, batch?: BatchAnswer): void {
		batch?.expect();
		const unknownId = this.#options.unknownId ? this.#options.unknownId() : null;
		this.#reply(encodeError(id ?? unknownId, error), batch);
	}

	#reply(text: string, batch: BatchAnswer | undefined): void {
		if (batch) batch.add(text);
		else this.#postAnswer(text);
	}

	#postAnswer(text: string): void {
		try {
			this.#post(text);
		} catch (error) {
			// The peer that asked is gone; there is nobody to tell but the log.
			this.#log.debug(`an answer could not be sent: ${messageOf(error)}`);
		}
	}

	#post(text: string): void {
		if (this.#channel.post(text) || this.#isBraking) return;
		this.#isBraking = true;
		this.#channel.pause();
		const release = (): void => {
			this.#isBraking = false;
			this.#channel.resume();
		};
		// A pipe that broke meanwhile says so by `end`; here it only lets go of the brake.
		this.#channel.flushed().then(release, release);
	}

	#await(
		id: number,
		method: string,
		options: RequestOptions,
		settle: { resolve: (result: unknown) => void; reject: (error: OrchestraError) => void },
	): void {
		const { timeoutMs = REQUEST_TIMEOUT_MS, maxTotalMs, signal, onProgress } = options;
		const now = this.#clock.now();
		const capAt = maxTotalMs === undefined ? Number.POSITIVE_INFINITY : now + maxTotalMs;
		const detach = signal ? this.#watch(signal, id, method) : nothing;
		this.#pending.add({
			id,
			method,
			...settle,
			timeoutMs,
			dueAt: now + timeoutMs,
			capAt,
			maxTotalMs,
			onProgress,
			detach,
		});
	}

	#watch(signal: AbortSignal, id: number, method: string): () => void {
		const onAbort = (): void => {
			const error = canceled(method, signal);
			this.#pending.take(id)?.reject(error);
			this.#sendCancel(id, error.message);
		};
		signal.addEventListener('abort', onAbort, { once: true });
		return () => signal.removeEventListener('abort', onAbort);
	}

	#sendCancel(id: number, reason: string): void {
		const notice = this.#dialect.cancelNotice(id, reason);
		if (notice) this.#postAnswer(encodeNotification(notice.method, notice.params));
	}
}

function canceled(method: string, signal: AbortSignal): OrchestraError {
	return new OrchestraError('canceled', `${method} was canceled`, { cause: signal.reason });
}

function serialize(encode: () => string): string {
	try {
		return encode();
	} catch (error) {
		throw new OrchestraError('bad_input', `failed to serialize request: ${messageOf(error)}`, {
			cause: error,
		});
	}
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
	return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function nothing(): void {}
