/*
 * Our own calls: numbered 1, 2, 3…, sent, and settled by the first of: the response,
 * the deadline, the caller's abort, the end of the pipe.
 */
import { messageOf, OrchestraError, type RequestOutcome, withOutcome } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { encodeNotification, encodeRequest, type Id, type RpcResponse } from '../../wire/json-rpc.ts';
import { exactly, JsonText } from '../../wire/json-text.ts';
import { member } from '../../wire/message-member.ts';
import { MessageView } from '../../wire/message-view.ts';
import { ViewReader } from '../../wire/view-reader.ts';
import type { About } from '../channel.ts';
import type { Clock } from '../clock.ts';
import type { Dialect } from '../dialect.ts';
import { rpcError } from '../rpc-error.ts';
import { REQUEST_TIMEOUT_MS } from '../rpc-limits.ts';
import { canceledCall, serialize } from './message-errors.ts';
import { type CancelSource, type PendingEntry, PendingTable } from './pending.ts';
import { SendWindow, type WindowedCall } from './send-window.ts';

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
	/** Longest response, in characters: a longer one fails the request without being parsed. Default: that of the transport. */
	maxResponseCharacters?: number | undefined;
	/** A value of the caller, found by the id of the request while it is in flight. */
	tag?: unknown;
	/** The result is a `JsonText`, which is passed on as it was written, unless it is nested too deeply; the data of an error keep their numbers. Default false. */
	keepsText?: boolean | undefined;
}

export interface OutgoingCallsDeps {
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

/** A call in flight. */
export interface PendingCall extends PendingEntry, WindowedCall {
	readonly method: string;
	readonly resolve: (result: unknown) => void;
	/** Receives the unparsed response of a forwarded call that has a result. The view is valid during the call. */
	readonly answered?: ((view: MessageView) => void) | undefined;
	/** Idle timeout in milliseconds; progress restarts it. */
	readonly timeoutMs: number;
	/** When the total timeout expires; nothing moves it once it is set. */
	capAt: number;
	/** The total timeout, for the message. */
	readonly maxTotalMs: number | undefined;
	readonly onProgress: ((params: unknown) => void) | undefined;
	/** The peer's request that the call belongs to. */
	readonly about: About | undefined;
	readonly keepsText: boolean;
	readonly tag: unknown;
	readonly maxResponseCharacters?: number | undefined;
	/** Its cancellation cancels the call; a forwarded one is ended by `abandon`. */
	readonly work: CancelSource | undefined;
}

type Settlement = Pick<PendingCall, 'resolve' | 'reject' | 'cost'>;

/** Calls that are sent as text, and whose responses are passed on unparsed. */
export type ForwardedCalls = Pick<OutgoingCalls, 'takeId' | 'forward' | 'abandon'>;

export class OutgoingCalls {
	readonly #deps: OutgoingCallsDeps;
	readonly #pending: PendingTable<PendingCall>;
	readonly #window = new SendWindow<PendingCall>((call, text) => this.#sendQueued(call, text));
	#nextId = 1;
	#droppedCount = 0;
	#suspensions = 0;
	#endReason: OrchestraError | undefined;
	/** The view of the last response: nobody keeps it. */
	readonly #view = new MessageView();
	readonly #reader = new ViewReader();
	#viewsResponses = false;

	constructor(deps: OutgoingCallsDeps) {
		this.#deps = deps;
		this.#pending = new PendingTable(deps.clock, {
			isExtended: (call, now) => this.#suspensions > 0 && this.#restartIdle(call, now),
			expired: (call, now) => this.#abandon(call, timedOut(call, now)),
			aborted: (call, reason) => this.#abandon(call, canceledCall(call.method, reason, outcomeOf(call))),
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

	/** The work that the request in flight with this id is part of. */
	workOf(id: Id): CancelSource | undefined {
		return this.#pending.get(Number(id))?.work;
	}

	/** The longest response of the request in flight with this id, in characters; undefined when it has no bound. */
	responseBoundOf(id: Id): number | undefined {
		return this.#pending.get(Number(id))?.maxResponseCharacters;
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
			const now = this.#deps.clock.now();
			for (const call of this.#pending.values()) this.#restartIdle(call, now);
		};
	}

	request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
		if (this.#endReason) return Promise.reject(this.#endReason);
		return new Promise((resolve, reject) => {
			const { signal, work } = options;
			if (signal?.aborted) return reject(canceledCall(method, signal.reason, 'not_run'));
			// It must not reach the peer, which may have done it before the cancellation arrives.
			if (work?.isCanceled) return work.onCancel((reason) => reject(canceledCall(method, reason, 'not_run')));
			const id = this.#nextId++;
			try {
				options.onId?.(id);
				const { dialect } = this.#deps;
				const withToken = options.onProgress ? dialect.withProgressToken(params, id) : params;
				const text = serialize(() => encodeRequest(id, method, withToken));
				const cost = SendWindow.costOf(text);
				const mustWait = !this.#window.admits(cost);
				if (mustWait) this.#window.assertRoom(cost);
				else this.#deps.post(text, options.about);
				const call = this.#addPending(id, method, options, { resolve, reject, cost });
				if (!mustWait) return;
				call.unsent = text;
				this.#window.enqueue(call);
			} catch (error) {
				reject(withOutcome(OrchestraError.from(error, 'io'), 'not_run'));
			}
		});
	}

	/** The id for a forwarded call. */
	takeId(): number {
		return this.#nextId++;
	}

	/**
	 * Send the text of a call that has an id of `takeId`. False when the peer is gone, or when it would have to wait
	 * for the send window: nothing was sent. Throws when the pipe is closed.
	 */
	forward(call: PendingCall, text: string): boolean {
		if (this.#endReason !== undefined || !this.#window.admits(call.cost)) return false;
		this.#deps.post(text);
		this.#viewsResponses = true;
		const now = this.#deps.clock.now();
		call.capAt = call.maxTotalMs === undefined ? Number.POSITIVE_INFINITY : now + call.maxTotalMs;
		call.dueAt = Math.min(now + call.timeoutMs, call.capAt);
		this.#pending.add(call, undefined);
		return true;
	}

	/** The work of a forwarded call was canceled: it ends here, and at the peer. */
	abandon(call: PendingCall, reason: OrchestraError): void {
		if (this.#pending.take(call.id)) this.#abandon(call, canceledCall(call.method, reason, outcomeOf(call)));
	}

	/** Whether a call wants its response as text, so that responses are viewed first. */
	get viewsResponses(): boolean {
		return this.#viewsResponses;
	}

	/** Settle a call that wants its response as text with a result; false for any other message. */
	answer(text: string): boolean {
		const view = this.#viewsResponses ? this.#read(text) : undefined;
		return view !== undefined && this.answerView(view);
	}

	/** Like `answer`. The view is used during the call only. */
	answerView(view: MessageView): boolean {
		if (view.has(member.method) || view.has(member.error) || !view.has(member.result)) return false;
		const call = this.#pending.get(Number(view.source(member.id)));
		if (!call?.keepsText || !view.is(member.jsonrpc, '"2.0"')) return false;
		this.#take(call.id);
		if (call.answered) call.answered(view);
		else call.resolve(new JsonText(view.source(member.result) ?? 'null'));
		return true;
	}

	#read(text: string): MessageView | undefined {
		return this.#reader.read(this.#view, text) ? this.#view : undefined;
	}

	/** Our output was flushed: send queued requests. */
	flushed(): void {
		this.#window.flushed();
	}

	awaits(id: Id | null): boolean {
		return this.#pending.get(Number(id)) !== undefined;
	}

	/** @param text the response as received */
	settle(response: RpcResponse, text: string): void {
		const { id, result, error } = response;
		const call = this.#take(Number(id)); // an id that is no number finds nothing
		if (call === undefined) return this.#onUnknownResponse(id);
		if (error) {
			const data = call.keepsText ? exactly(error.data, text, 'error', 'data') : error.data;
			call.reject(rpcError(error.code, error.message, data));
		} else if (call.keepsText) this.#resolveText(call, result, text);
		else call.resolve(result);
	}

	#resolveText(call: PendingCall, result: unknown, text: string): void {
		const written = this.#read(text)?.source(member.result);
		// Without a view it is nested more deeply than a scan goes.
		call.resolve(written === undefined ? result : new JsonText(written, result));
	}

	/** Fail the call `id`. `error.data.outcome` says what is known about it. */
	fail(id: Id, error: OrchestraError): void {
		this.#take(Number(id))?.reject(error);
	}

	/** A response without a readable id is unusable: when exactly one call waits for an answer, it is that one's. */
	failOnly(error: OrchestraError): void {
		// A subscription has no deadline: its response is its end.
		const waiting = [...this.#pending.values()].filter(({ dueAt }) => dueAt !== Number.POSITIVE_INFINITY);
		if (waiting.length === 1) this.#take(waiting[0]?.id)?.reject(withOutcome(error, 'unknown'));
		else this.failOldest(error);
	}

	/** An unusable message arrived instead of a response: in strict mode the oldest call fails. */
	failOldest(error: OrchestraError): void {
		if (this.#deps.strict) this.#take(this.#pending.oldest?.id)?.reject(withOutcome(error, 'unknown'));
	}

	progress(token: unknown, params: unknown): void {
		const call = this.#pending.get(token);
		if (call === undefined) return;
		this.#restartIdle(call, this.#deps.clock.now());
		call.onProgress?.(params);
	}

	failAll(reason: OrchestraError): void {
		this.#endReason = reason;
		this.#window.clear();
		for (const { id, unsent } of this.#pending.values())
			if (unsent !== undefined) this.#pending.take(id)?.reject(withOutcome(reason, 'not_run'));
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
		this.#window.release(call, !this.#deps.isCongested());
		if (wasSent) this.#sendCancel(call, error.message);
	}

	#sendQueued(call: PendingCall, text: string): void {
		try {
			this.#deps.post(text, call.about);
		} catch (error) {
			this.#pending.take(call.id)?.reject(withOutcome(OrchestraError.from(error, 'io'), 'not_run'));
		}
	}

	#onUnknownResponse(id: Id | null): void {
		this.#droppedCount++;
		this.#deps.log.debug(`dropped a response with id ${id}: no call with this id is pending`);
		const { oldest } = this.#pending;
		if (oldest === undefined) return;
		const message = `response id ${id} doesn't match request id ${oldest.id}`;
		this.failOldest(new OrchestraError('bad_frame', message));
	}

	#addPending(id: number, method: string, options: RequestOptions, settle: Settlement): PendingCall {
		const { timeoutMs = REQUEST_TIMEOUT_MS, maxTotalMs, onProgress } = options;
		const { about, keepsText = false, tag, work, maxResponseCharacters } = options;
		if (keepsText) this.#viewsResponses = true;
		const now = this.#deps.clock.now();
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
			maxResponseCharacters,
			work,
			detach: undefined,
		};
		this.#pending.add(call, options.signal, options.work);
		return call;
	}

	#sendCancel({ id, method, about }: PendingCall, reason: string): void {
		const notice = this.#deps.dialect.cancelNotice(id, reason, method);
		if (notice === undefined) return;
		try {
			this.#deps.post(encodeNotification(notice.method, notice.params), about);
		} catch (error) {
			// The pipe broke; the call was rejected already.
			this.#deps.log.debug(`a cancellation could not be sent: ${messageOf(error)}`);
		}
	}
}

/** The outcome of a call that ends without an answer. */
function outcomeOf({ unsent }: PendingCall): RequestOutcome {
	return unsent === undefined ? 'unknown' : 'not_run';
}

/** The error says which of the two timeouts expired. */
function timedOut(call: PendingCall, now: number): OrchestraError {
	const { method, timeoutMs, maxTotalMs, capAt } = call;
	const isCap = capAt <= now && maxTotalMs !== undefined;
	const limitMs = isCap ? maxTotalMs : timeoutMs;
	return new OrchestraError('timeout', `request timed out after ${limitMs}ms`, {
		hint: isCap
			? `${method} was not complete within its total timeout; raise \`maxTotalMs\`.`
			: `${method} got no response; raise \`timeoutMs\` if it needs longer.`,
		data: { method, timeoutMs: limitMs, kind: isCap ? 'total' : 'idle', outcome: outcomeOf(call) },
	});
}
