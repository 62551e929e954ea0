/*
 * One end of a bidirectional JSON-RPC connection.
 *
 * `MessageDispatcher` classifies what a `Channel` delivers. `OutgoingCalls` holds our
 * calls, `IncomingCallTable` those of the other side. Reading never waits for writing:
 * responses are settled on arrival; while our output is congested, only new requests
 * of the other side are queued, by `Admission`.
 */
import { messageOf, type OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { encodeNotification, type Id } from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { MessageView } from '../wire/message-view.ts';
import { UNREAD_RESPONSES_CHARACTERS } from '../wire/wire-limits.ts';
import { Admission } from './calls/admission.ts';
import type { BatchResponse } from './calls/batch-response.ts';
import type { IncomingCall, RequestOrigin } from './calls/incoming-call.ts';
import { IncomingCallTable } from './calls/incoming-call-table.ts';
import { MessageDispatcher } from './calls/message-dispatcher.ts';
import { serialize } from './calls/message-errors.ts';
import { type ForwardedCalls, OutgoingCalls, type RequestOptions } from './calls/outgoing-calls.ts';
import type { CancelSource } from './calls/pending.ts';
import { ResponseBudget, type UnreadTotal } from './calls/response-budget.ts';
import type { About, Channel, Receiver } from './channel.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Dialect, mcpDialect } from './dialect.ts';
import { methodNotFound } from './rpc-error.ts';

/** Handlers and settings of a `Peer`. */
export interface PeerOptions {
	/** Handles the peer's requests: return the result or a promise of it, or throw. Default: method not found. */
	onRequest?: (call: IncomingCall) => unknown;
	/**
	 * Sees each request before it is parsed. True when it takes the request: it then calls `beginCall`, and in the end
	 * `answerCall` or `resumeCall`.
	 */
	onView?: ((view: MessageView) => boolean) | undefined;
	/** Receives the peer's notifications, cancellation and progress included. */
	onNotification?: (method: string, params: unknown, text: string) => void;
	/** Called once when the input ends, with the reason. */
	onEnd?: (reason: OrchestraError) => void;
	/** Called before the peer closes the channel because the other side sent requests and read no responses. */
	onStalled?: (reason: OrchestraError) => void;
	/** A `server` responds to invalid lines with an error; a `client` (default) counts them as stray lines. */
	role?: 'server' | 'client';
	/** True when an array is a batch in the current protocol version. Default: never. */
	acceptsBatch?: () => boolean;
	/** True when a request of this method must not be part of a batch. Default: never. */
	isAlone?: (method: string) => boolean;
	/** The id of an error response when the real one is unknown: `null`, or undefined to omit it. */
	unknownId?: () => null | undefined;
	/** A response with an unknown id, or a line that is not JSON, fails the oldest call. Default: it is dropped. */
	strict?: boolean;
	/** Stall timeout for a peer that sends requests and reads no responses, in milliseconds. Default 2 minutes. */
	stallMs?: number | undefined;
	/** Limit of unread output, above which responses are dropped, in characters. Default 64 Mi. */
	unreadCharacters?: number | undefined;
	/** The unread output of all peers of this server, with its own limit. Default: none. */
	unreadTotal?: UnreadTotal | undefined;
	dialect?: Dialect;
	clock?: Clock;
	log?: Log;
}

/** Sends and serves JSON-RPC calls over one `Channel`. */
export class Peer implements Receiver {
	readonly #channel: Channel;
	readonly #options: PeerOptions;
	readonly #log: Log;
	readonly #outgoing: OutgoingCalls;
	readonly #incoming: IncomingCallTable;
	readonly #admission: Admission;
	readonly #dispatcher: MessageDispatcher;
	readonly #budget: ResponseBudget;
	#endReason: OrchestraError | undefined;
	#isCongested = false;

	/** The caller starts the channel with this peer as its receiver. */
	constructor(channel: Channel, options: PeerOptions = {}) {
		const { dialect = mcpDialect, clock = systemClock, log = Log.silent, strict = false } = options;
		this.#channel = channel;
		const { unreadCharacters = UNREAD_RESPONSES_CHARACTERS, unreadTotal } = options;
		this.#budget = new ResponseBudget(unreadCharacters, unreadTotal);
		this.#options = options;
		this.#log = log;
		const isCongested = (): boolean => this.#isCongested;
		this.#outgoing = new OutgoingCalls({
			post: (text, about) => this.#post(text, about),
			isCongested,
			dialect,
			clock,
			log,
			strict,
		});
		this.#incoming = new IncomingCallTable({
			onRequest: options.onRequest ?? refuse,
			reply: (text, batch, about) => this.#reply(text, batch, about),
			budget: this.#budget,
			onRoom: () => this.#admission.dispatchReady(),
			clock,
			log,
		});
		this.#admission = new Admission({
			channel,
			clock,
			isFull: () => this.#incoming.isFull,
			dispatch: ({ text, batch }) => this.#dispatcher.read(text, batch, true),
			onStalled: (reason) => this.#giveUp(reason),
			stallMs: options.stallMs,
		});
		this.#dispatcher = new MessageDispatcher({
			...options,
			channel,
			dialect,
			log,
			outgoing: this.#outgoing,
			incoming: this.#incoming,
			admission: this.#admission,
			budget: this.#budget,
			reply: (text, batch) => this.#reply(text, batch),
		});
	}

	/** Requests of the peer in flight. */
	get incomingCount(): number {
		return this.#incoming.count;
	}

	/** Messages of the peer that are queued until it reads our responses. */
	get waitingCount(): number {
		return this.#admission.count;
	}

	/** Our requests without a response yet. */
	get pendingCount(): number {
		return this.#outgoing.count;
	}

	/** Responses that were dropped: late, repeated, or with an unknown id. */
	get droppedCount(): number {
		return this.#outgoing.droppedCount;
	}

	/** The `work` of our request in flight with this id. */
	workOf(id: Id): CancelSource | undefined {
		return this.#outgoing.workOf(id);
	}

	/** The `tag` of our request in flight with this id. */
	tagOf(id: unknown): unknown {
		return this.#outgoing.tagOf(id);
	}

	/** The tags of all our requests in flight that have one. */
	tags(): unknown[] {
		return this.#outgoing.tags();
	}

	/**
	 * Suspend the idle timeouts of our requests, while the peer waits for us; total timeouts still apply.
	 * Returns the function that restarts them.
	 */
	suspendIdle(): () => void {
		return this.#outgoing.suspendIdle();
	}

	/** Call the peer. Rejects with `rpc`, `timeout`, `canceled`, `closed`, `io` or `bad_input`. */
	request(method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
		return this.#outgoing.request(method, params, options);
	}

	/** Where the requests of the peer that are taken as views are answered. */
	get origin(): RequestOrigin {
		return this.#incoming;
	}

	/** The calls that are forwarded as text. */
	get forwarded(): ForwardedCalls {
		return this.#outgoing;
	}

	/**
	 * Send a notification. Throws when the pipe is closed. Dropped while the peer leaves too much unread.
	 * @param about the peer's request that it belongs to
	 */
	notify(method: string, params?: unknown, about?: About): void {
		const text = serialize(() => encodeNotification(method, params));
		if (this.#budget.exceededBy(text.length) === undefined) this.#post(text, about);
		else this.#log.debug(`the peer does not read: ${method} is dropped`);
	}

	/** Resolves when everything sent so far was written to the operating system. */
	flushed(): Promise<void> {
		return this.#channel.flushed();
	}

	/** Resolves when no request of the peer is queued. */
	admitted(): Promise<void> {
		return this.#admission.drained();
	}

	/** Wait until no request of the peer is in flight; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		return this.#incoming.drained(ms);
	}

	/** Drop the peer's queued requests; they get no response. Returns the number of dropped messages. */
	dropWaiting(): number {
		return this.#admission.clear();
	}

	/** Cancel the peer's requests, queued or in flight; they get no response. */
	cancelIncoming(reason: string): void {
		this.#admission.clear();
		this.#incoming.cancelAll(reason);
	}

	message(text: string): void {
		this.#dispatcher.read(text, undefined, false);
	}

	/** Pass a request to `onView`; false when it must be parsed. */
	takeView(view: MessageView): boolean {
		return this.#dispatcher.takeView(view);
	}

	/** Like `message`, for a message that the caller has parsed and that is no batch. */
	parsed(value: unknown, text: string): void {
		this.#dispatcher.dispatch(value, text);
	}

	oversize(line: OversizeLine): void {
		this.#dispatcher.oversize(line);
	}

	failed(id: Id, error: OrchestraError): void {
		this.#outgoing.fail(id, error);
	}

	/** What was received before is handled first. */
	end(reason: OrchestraError): void {
		this.#dispatcher.whenRead(() => this.#end(reason));
	}

	#end(reason: OrchestraError): void {
		if (this.#endReason) return;
		this.#endReason = reason;
		this.#admission.end();
		this.#outgoing.failAll(reason);
		this.#options.onEnd?.(reason);
	}

	#reply(text: string, batch: BatchResponse | undefined, about?: About): void {
		if (batch) return batch.add(text);
		try {
			this.#post(text, about);
		} catch (error) {
			// The peer that sent the request is gone.
			this.#log.debug(`a response could not be sent: ${messageOf(error)}`);
		}
	}

	#post(text: string, about?: About): void {
		const hasRoom = this.#channel.post(text, about);
		if (!hasRoom || this.#isCongested) this.#budget.posted(text.length);
		if (hasRoom || this.#isCongested) return;
		this.#isCongested = true;
		this.#admission.congested();
		const onFlushed = (): void => {
			this.#isCongested = false;
			this.#budget.flushed();
			// The peer's requests first: ours must not starve them.
			this.#admission.flushed();
			this.#outgoing.flushed();
		};
		// A broken pipe is reported by `end`; the responses to queued requests would have no reader.
		const onBroken = (): void => {
			this.#budget.flushed();
			this.#admission.clear();
		};
		this.#channel.flushed().then(onFlushed, onBroken);
	}

	#giveUp(reason: OrchestraError): void {
		this.#log.warn(reason.message);
		this.#options.onStalled?.(reason);
		this.end(reason);
		this.cancelIncoming(reason.message);
		this.#channel.close().catch((thrown: unknown) => this.#log.debug(`close failed: ${messageOf(thrown)}`));
	}
}

function refuse(call: IncomingCall): never {
	throw methodNotFound(call.method);
}
