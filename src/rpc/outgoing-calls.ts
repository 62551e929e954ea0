/*
 * Our own calls: numbered 1, 2, 3…, sent, and settled by the first of: the response,
 * the deadline, the caller's abort, the end of the pipe.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { encodeNotification, encodeRequest, type Id, type RpcResponse } from '../wire/json-rpc.ts';
import { rememberErrorText, rememberResultText } from '../wire/source-text.ts';
import type { About } from './channel.ts';
import type { Clock } from './clock.ts';
import type { Dialect } from './dialect.ts';
import { canceledCall, serialize } from './message-errors.ts';
import { type CancelSource, type PendingEntry, PendingTable } from './pending.ts';
import { rpcError } from './rpc-error.ts';
import { SendWindow, type WindowedCall } from './send-window.ts';

/** Default timeout of a request, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** Deadlines, cancellation and progress of one request. */
export interface RequestOptions {
	/** Idle timeout in milliseconds; each progress notification restarts it. Default 30 s. */
	timeoutMs?: number | undefined;
	/** Total timeout in milliseconds, regardless of progress. Default: none. */
	maxTotalMs?: number | undefined;
	signal?: AbortSignal | undefined;
	/** Requests progress and receives it. */
	onProgress?: ((params: unknown) => void) | undefined;
	/** The peer's request that this one belongs to, for a channel that routes by it. */
	about?: About | undefined;
	/** The work that this request is part of: its cancellation cancels the request. Cheaper than `signal`. */
	work?: CancelSource | undefined;
	/** Receives the id of the request before it is sent. */
	onId?: ((id: number) => void) | undefined;
	/** A value of the caller, found by the id of the request while it is in flight. */
	tag?: unknown;
	/** The result remembers its JSON text, so that it can be forwarded without encoding it again. Default false. */
	keepsText?: boolean | undefined;
}

export interface OutgoingCallsParts {
	/** Sends a message; throws when the pipe is closed. */
	post: (text: string, about?: About) => void;
	/** True while our output is above its high-water mark. */
	isCongested: () => boolean;
	dialect: Dialect;
	clock: Clock;
	log: Log;
	/** A response with an unknown id fails the oldest call. */
	strict: boolean;
}

interface PendingCall extends PendingEntry, WindowedCall {
	readonly method: string;
	readonly resolve: (result: unknown) => void;
	/** Idle timeout in milliseconds; progress restarts it. */
	readonly timeoutMs: number;
	/** When the total timeout expires; nothing moves it. */
	readonly capAt: number;
	/** The total timeout, for the message. */
	readonly maxTotalMs: number | undefined;
	readonly onProgress: ((params: unknown) => void) | undefined;
	/** The peer's request that the call belongs to. */
	readonly about: About | undefined;
	readonly keepsText: boolean;
	readonly tag: unknown;
}

type Settlement = Pick<PendingCall, 'resolve' | 'reject' | 'cost'>;

export class OutgoingCalls {
	readonly #parts: OutgoingCallsParts;
	readonly #pending: PendingTable<PendingCall>;
	readonly #window = new SendWindow<PendingCall>((call, text) => this.#sendQueued(call, text));
	#nextId = 1;
	#droppedCount = 0;
	#suspensions = 0;

	constructor(parts: OutgoingCallsParts) {
		this.#parts = parts;
		this.#pending = new PendingTable(parts.clock, {
			isExtended: (call, now) => this.#suspensions > 0 && this.#restartIdle(call, now),
			expired: (call, now) => this.#abandon(call, timedOut(call, now)),
			aborted: (call, reason) => this.#abandon(call, canceledCall(call.method, reason)),
		});
	}

	get count(): number {
		return this.#pending.size;
	}

	/** Responses that were dropped: late, repeated, or with an unknown id. */
	get droppedCount(): number {
		return this.#droppedCount;
	}

	/** The tag of the request in flight with this id. */
	tagOf(id: unknown): unknown {
		return this.#pending.get(id)?.tag;
	}

	/** The tags of all requests in flight that have one. */
	tags(): unknown[] {
		return [...this.#pending.values()].flatMap(({ tag }) => (tag === undefined ? [] : [tag]));
	}

	/** Suspend the idle timeouts; total timeouts still apply. Returns the function that restarts them. */
	suspendIdle(): () => void {
		this.#suspensions++;
		let isSuspended = true;
		return () => {
			if (!isSuspended) return;
			isSuspended = false;
			this.#suspensions--;
			const now = this.#parts.clock.now();
			for (const call of this.#pending.values()) this.#restartIdle(call, now);
		};
	}

	request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
		return new Promise((resolve, reject) => {
			const { signal, work } = options;
			if (signal?.aborted) return reject(canceledCall(method, signal.reason));
			// It must not reach the peer, which may have done it before the cancellation arrives.
			if (work?.isCanceled) return work.onCancel((reason) => reject(canceledCall(method, reason)));
			const id = this.#nextId++;
			try {
				options.onId?.(id);
				const { dialect } = this.#parts;
				const asked = options.onProgress ? dialect.withProgressToken(params, id) : params;
				const text = serialize(() => encodeRequest(id, method, asked));
				const cost = SendWindow.costOf(text);
				const mustWait = !this.#window.admits(cost);
				if (mustWait) this.#window.assertRoom(cost);
				else this.#parts.post(text, options.about);
				const call = this.#addPending(id, method, options, { resolve, reject, cost });
				if (!mustWait) return;
				call.unsent = text;
				this.#window.enqueue(call);
			} catch (error) {
				reject(OrchestraError.from(error, 'io'));
			}
		});
	}

	/** Our output was flushed: send queued requests. */
	flushed(): void {
		this.#window.flushed();
	}

	awaits(id: unknown): boolean {
		return this.#pending.get(id) !== undefined;
	}

	/** @param text the response as received */
	settle(response: RpcResponse, text: string): void {
		const { id, result, error } = response;
		const call = this.#take(id);
		if (call === undefined) return this.#onUnknownResponse(id);
		if (error) {
			if (call.keepsText) rememberErrorText(error, text);
			call.reject(rpcError(error.code, error.message, error.data));
		} else {
			if (call.keepsText) rememberResultText(response, text, call.id);
			call.resolve(result);
		}
	}

	/** Fail the call `id`, whose response is unusable. */
	fail(id: Id, error: OrchestraError): void {
		this.#take(id)?.reject(error);
	}

	/** A response without a readable id is unusable: when exactly one call waits for an answer, it is that one's. */
	failOnly(error: OrchestraError): void {
		// A subscription has no deadline: its response is its end.
		const waiting = [...this.#pending.values()].filter(({ dueAt }) => dueAt !== Number.POSITIVE_INFINITY);
		if (waiting.length === 1) this.#take(waiting[0]?.id)?.reject(error);
		else this.failOldest(error);
	}

	/** An unusable message arrived instead of a response: in strict mode the oldest call fails. */
	failOldest(error: OrchestraError): void {
		if (this.#parts.strict) this.#take(this.#pending.oldest?.id)?.reject(error);
	}

	progress(token: unknown, params: unknown): void {
		const call = this.#pending.get(token);
		if (call === undefined) return;
		this.#restartIdle(call, this.#parts.clock.now());
		call.onProgress?.(params);
	}

	failAll(reason: OrchestraError): void {
		this.#window.clear();
		this.#pending.failAll(reason);
	}

	/** Restart the idle timeout; false when the total timeout has expired. */
	#restartIdle(call: PendingCall, now: number): boolean {
		call.dueAt = Math.min(now + call.timeoutMs, call.capAt);
		return call.dueAt > now;
	}

	/** Remove a call that got its response. */
	#take(id: unknown): PendingCall | undefined {
		const call = this.#pending.take(id);
		if (call) this.#window.release(call, true);
		return call;
	}

	/** A call ended without a response: cancel it at the peer. */
	#abandon(call: PendingCall, error: OrchestraError): void {
		call.reject(error);
		const wasSent = call.unsent === undefined;
		this.#window.release(call, !this.#parts.isCongested());
		if (wasSent) this.#sendCancel(call, error.message);
	}

	#sendQueued(call: PendingCall, text: string): void {
		try {
			this.#parts.post(text, call.about);
		} catch (error) {
			this.#pending.take(call.id)?.reject(OrchestraError.from(error, 'io'));
		}
	}

	#onUnknownResponse(id: Id | null): void {
		this.#droppedCount++;
		this.#parts.log.debug(
			`dropped a response with id ${JSON.stringify(id)}: no call with this id is pending`,
		);
		const { oldest } = this.#pending;
		if (oldest === undefined) return;
		const message = `response id ${JSON.stringify(id)} doesn't match request id ${oldest.id}`;
		this.failOldest(new OrchestraError('bad_frame', message));
	}

	#addPending(id: number, method: string, options: RequestOptions, settle: Settlement): PendingCall {
		const { timeoutMs = REQUEST_TIMEOUT_MS, maxTotalMs, onProgress } = options;
		const { about, keepsText = false, tag } = options;
		const now = this.#parts.clock.now();
		const capAt = maxTotalMs === undefined ? Number.POSITIVE_INFINITY : now + maxTotalMs;
		const { resolve, reject, cost } = settle;
		const call: PendingCall = {
			id,
			method,
			resolve,
			reject,
			cost,
			unsent: undefined,
			timeoutMs,
			dueAt: Math.min(now + timeoutMs, capAt),
			capAt,
			maxTotalMs,
			onProgress,
			about,
			keepsText,
			tag,
			detach: undefined,
		};
		this.#pending.add(call, options.signal, options.work);
		return call;
	}

	#sendCancel({ id, method, about }: PendingCall, reason: string): void {
		const notice = this.#parts.dialect.cancelNotice(id, reason, method);
		if (notice === undefined) return;
		try {
			this.#parts.post(encodeNotification(notice.method, notice.params), about);
		} catch (error) {
			// The pipe broke; the call was rejected already.
			this.#parts.log.debug(`a cancellation could not be sent: ${messageOf(error)}`);
		}
	}
}

/** The error says which of the two timeouts expired. */
function timedOut({ method, timeoutMs, maxTotalMs, capAt }: PendingCall, now: number): OrchestraError {
	const isCap = capAt <= now && maxTotalMs !== undefined;
	const limitMs = isCap ? maxTotalMs : timeoutMs;
	return new OrchestraError('timeout', `request timed out after ${limitMs}ms`, {
		hint: isCap
			? `${method} still reported progress when its total timeout expired; raise \`maxTotalMs\`.`
			: `${method} got no response; raise \`timeoutMs\` if it needs longer.`,
		data: { method, timeoutMs: limitMs, kind: isCap ? 'total' : 'idle' },
	});
}
