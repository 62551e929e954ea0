/*
 * Our own calls: numbered 1, 2, 3…, sent, and settled by whatever comes first:
 * the answer, the deadline, the caller's abort, or the end of the pipe.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { encodeNotification, encodeRequest, type Id, type RpcResponse } from '../wire/json-rpc.ts';
import type { Clock } from './clock.ts';
import type { Dialect } from './dialect.ts';
import { type PendingCall, PendingCalls } from './pending.ts';
import { rpcError } from './rpc-error.ts';
import { SendWindow } from './window.ts';

/** How long a request waits for an answer unless it says otherwise, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;

export interface RequestOptions {
	/** Longest silence in milliseconds; progress starts it again. Default 30 s. */
	timeoutMs?: number | undefined;
	/** Cap on the whole time, whatever progress comes. Default: none. */
	maxTotalMs?: number | undefined;
	signal?: AbortSignal | undefined;
	/** Ask for progress and take it. */
	onProgress?: ((params: unknown) => void) | undefined;
}

export interface OutgoingParts {
	/** Sends a message; throws when the pipe is closed. */
	post: (text: string) => void;
	/** True while our output is above its high-water mark. */
	isCongested: () => boolean;
	dialect: Dialect;
	clock: Clock;
	log: Log;
	/** An answer that matches nothing fails the oldest call. */
	strict: boolean;
}

type Settle = Pick<PendingCall, 'resolve' | 'reject' | 'cost'>;

export class OutgoingCalls {
	readonly #parts: OutgoingParts;
	readonly #pending: PendingCalls;
	readonly #window = new SendWindow<PendingCall>((call, text) => this.#sendLate(call, text));
	#nextId = 1;

	constructor(parts: OutgoingParts) {
		this.#parts = parts;
		this.#pending = new PendingCalls(parts.clock, (call, error) => this.#giveUp(call, error.message));
	}

	get count(): number {
		return this.#pending.size;
	}

	request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
		return new Promise((resolve, reject) => {
			if (options.signal?.aborted) return reject(canceled(method, options.signal));
			const id = this.#nextId++;
			try {
				const { dialect } = this.#parts;
				const asked = options.onProgress ? dialect.withProgressToken(params, id) : params;
				const text = serialize(() => encodeRequest(id, method, asked));
				const cost = SendWindow.costOf(text);
				const mustWait = !this.#window.admits(cost);
				if (mustWait) this.#window.assertRoom(cost);
				else this.#parts.post(text);
				const call = this.#await(id, method, options, { resolve, reject, cost });
				if (!mustWait) return;
				call.unsent = text;
				this.#window.wait(call);
			} catch (error) {
				reject(OrchestraError.from(error, 'io'));
			}
		});
	}

	/** All that we have said was taken: what waited may go. */
	flushed(): void {
		this.#window.flushed();
	}

	/** Whether a call of ours waits for an answer with this id. */
	awaits(id: unknown): boolean {
		return this.#pending.has(id);
	}

	/** An answer came. */
	settle({ id, result, error }: RpcResponse): void {
		const call = this.#take(id);
		if (call === undefined) return this.#unknownAnswer(id);
		if (error) call.reject(rpcError(error.code, error.message, error.data));
		else call.resolve(result);
	}

	/** The answer to `id` came and cannot be used. */
	fail(id: Id, error: OrchestraError): void {
		this.#take(id)?.reject(error);
	}

	/** Something came that should have been an answer: in strict mode the oldest call gets the blame. */
	failOldest(error: OrchestraError): void {
		if (this.#parts.strict) this.#take(this.#pending.oldest?.id)?.reject(error);
	}

	/** Progress came for one of our calls. */
	progress(token: unknown, params: unknown): void {
		this.#pending.touch(token)?.onProgress?.(params);
	}

	failAll(reason: OrchestraError): void {
		this.#window.clear();
		this.#pending.failAll(reason);
	}

	/** Remove a call that was answered. */
	#take(id: unknown): PendingCall | undefined {
		const call = this.#pending.take(id);
		if (call) this.#window.release(call, true);
		return call;
	}

	/** A call is over before its answer came. */
	#giveUp(call: PendingCall, reason: string): void {
		const wasSent = call.unsent === undefined;
		this.#window.release(call, !this.#parts.isCongested());
		if (wasSent) this.#sendCancel(call, reason);
	}

	#sendLate(call: PendingCall, text: string): void {
		try {
			this.#parts.post(text);
		} catch (error) {
			this.#pending.take(call.id)?.reject(OrchestraError.from(error, 'io'));
		}
	}

	#unknownAnswer(id: Id | null): void {
		this.#parts.log.debug(`dropped an answer with id ${JSON.stringify(id)}: nothing waits for it`);
		const { oldest } = this.#pending;
		if (oldest === undefined) return;
		const message = `response id ${JSON.stringify(id)} doesn't match request id ${oldest.id}`;
		this.failOldest(new OrchestraError('bad_frame', message));
	}

	#await(id: number, method: string, options: RequestOptions, settle: Settle): PendingCall {
		const { timeoutMs = REQUEST_TIMEOUT_MS, maxTotalMs, signal, onProgress } = options;
		const now = this.#parts.clock.now();
		const capAt = maxTotalMs === undefined ? Number.POSITIVE_INFINITY : now + maxTotalMs;
		const detach = signal ? this.#watch(signal, id, method) : nothing;
		const { resolve, reject, cost } = settle;
		const dueAt = now + timeoutMs;
		const call: PendingCall = {
			id,
			method,
			resolve,
			reject,
			cost,
			unsent: undefined,
			timeoutMs,
			dueAt,
			capAt,
			maxTotalMs,
			onProgress,
			detach,
		};
		this.#pending.add(call);
		return call;
	}

	#watch(signal: AbortSignal, id: number, method: string): () => void {
		const onAbort = (): void => {
			const error = canceled(method, signal);
			const call = this.#pending.take(id);
			if (call === undefined) return;
			call.reject(error);
			this.#giveUp(call, error.message);
		};
		signal.addEventListener('abort', onAbort, { once: true });
		return () => signal.removeEventListener('abort', onAbort);
	}

	#sendCancel({ id, method }: PendingCall, reason: string): void {
		const notice = this.#parts.dialect.cancelNotice(id, reason, method);
		if (notice === undefined) return;
		try {
			this.#parts.post(encodeNotification(notice.method, notice.params));
		} catch (error) {
			// The pipe broke: the call it was about has been rejected already.
			this.#parts.log.debug(`a cancellation could not be sent: ${messageOf(error)}`);
		}
	}
}

/** Build a message of ours; a value that is not JSON is the caller's mistake. */
export function serialize(encode: () => string): string {
	try {
		return encode();
	} catch (error) {
		throw new OrchestraError('bad_input', `failed to serialize request: ${messageOf(error)}`, {
			cause: error,
		});
	}
}

function canceled(method: string, signal: AbortSignal): OrchestraError {
	return new OrchestraError('canceled', `${method} was canceled`, { cause: signal.reason });
}

function nothing(): void {}
