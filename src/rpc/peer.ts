/*
 * One end of a JSON-RPC conversation: calls out, calls in, both at once.
 *
 * `Intake` reads what a `Channel` delivers and decides what it is; our calls
 * live in `OutgoingCalls`, the other side's in `Serving`. Reading never waits for
 * writing: answers are settled as they come, and while our output is congested only
 * new requests of the other side wait, in `Admission`.
 */
import { messageOf, type OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { encodeNotification } from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { UNREAD_ANSWERS_CHARACTERS } from '../wire/wire-limits.ts';
import { Admission } from './admission.ts';
import { AnswerBudget } from './answer-budget.ts';
import type { BatchAnswer } from './batch.ts';
import type { Channel, Receiver } from './channel.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Dialect, mcpDialect } from './dialect.ts';
import type { IncomingCall } from './incoming.ts';
import { Intake } from './intake.ts';
import { OutgoingCalls, type RequestOptions, serialize } from './outgoing-calls.ts';
import { methodNotFound } from './rpc-error.ts';
import { Serving } from './serving.ts';

export interface PeerOptions {
	/** Answers the peer's requests: return the result or a promise of it, or throw. Default: method not found. */
	onRequest?: (call: IncomingCall) => unknown;
	/** Takes the peer's notifications, cancellation and progress included. */
	onNotification?: (method: string, params: unknown) => void;
	/** Told once that nothing more will come, and why. */
	onEnd?: (reason: OrchestraError) => void;
	/** A `server` answers lines that are no messages with an error; a `client` (default) sets them aside. */
	role?: 'server' | 'client';
	/** Whether an array is a batch now. Default: never. */
	acceptsBatch?: () => boolean;
	/** Whether a request of this method must not be part of a batch. Default: none. */
	isAlone?: (method: string) => boolean;
	/** The id of an error answer when the real one is unknown: `null`, or undefined to leave it out. */
	unknownId?: () => null | undefined;
	/** An answer with an unknown id, or a line that is not JSON, fails the oldest call instead of being set aside. */
	strict?: boolean;
	/** How long a peer that sends requests and reads no answers is waited for, in milliseconds. Default 2 minutes. */
	stallMs?: number | undefined;
	/** How much may wait for a peer that does not read before answers are dropped, in characters. Default 256 Mi. */
	unreadCharacters?: number | undefined;
	dialect?: Dialect;
	clock?: Clock;
	log?: Log;
}

export class Peer implements Receiver {
	readonly #channel: Channel;
	readonly #options: PeerOptions;
	readonly #log: Log;
	readonly #outgoing: OutgoingCalls;
	readonly #serving: Serving;
	readonly #admission: Admission;
	readonly #intake: Intake;
	readonly #budget: AnswerBudget;
	#endReason: OrchestraError | undefined;
	#isCongested = false;

	/** The caller starts the channel with this peer as its receiver. */
	constructor(channel: Channel, options: PeerOptions = {}) {
		const { dialect = mcpDialect, clock = systemClock, log = Log.silent, strict = false } = options;
		this.#channel = channel;
		this.#budget = new AnswerBudget(options.unreadCharacters ?? UNREAD_ANSWERS_CHARACTERS);
		this.#options = options;
		this.#log = log;
		const isCongested = (): boolean => this.#isCongested;
		this.#outgoing = new OutgoingCalls({
			post: (text) => this.#post(text),
			isCongested,
			dialect,
			clock,
			log,
			strict,
		});
		this.#serving = new Serving({
			onRequest: options.onRequest ?? refuse,
			reply: (text, batch) => this.#reply(text, batch),
			budget: this.#budget,
			onRoom: () => this.#admission.go(),
			clock,
			log,
		});
		this.#admission = new Admission({
			channel,
			clock,
			isFull: () => this.#serving.isFull,
			dispatch: ({ text, batch }) => this.#intake.read(text, batch, true),
			giveUp: (reason) => this.#giveUp(reason),
			stallMs: options.stallMs,
		});
		this.#intake = new Intake({
			...options,
			channel,
			dialect,
			log,
			outgoing: this.#outgoing,
			serving: this.#serving,
			admission: this.#admission,
			budget: this.#budget,
			reply: (text, batch) => this.#reply(text, batch),
		});
	}

	/** Requests of the peer that run. */
	get incomingCount(): number {
		return this.#serving.count;
	}

	/** Messages of the peer that wait until it reads our answers. */
	get waitingCount(): number {
		return this.#admission.count;
	}

	/** Our requests that wait for an answer. */
	get pendingCount(): number {
		return this.#outgoing.count;
	}

	/** Call the peer. Rejects with `rpc`, `timeout`, `canceled`, `closed`, `io` or `bad_input`. */
	request(method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
		if (this.#endReason) return Promise.reject(this.#endReason);
		return this.#outgoing.request(method, params, options);
	}

	/** Tell the peer something. Throws when the pipe is closed. A peer that leaves very much unread misses it. */
	notify(method: string, params?: unknown): void {
		const text = serialize(() => encodeNotification(method, params));
		if (this.#budget.hasRoom(text.length)) this.#post(text);
		else this.#log.debug(`the peer does not read: ${method} is dropped`);
	}

	/** Resolves when all we have said is with the operating system. */
	flushed(): Promise<void> {
		return this.#channel.flushed();
	}

	/** Resolves when no request of the peer waits to begin. */
	admitted(): Promise<void> {
		return this.#admission.emptied();
	}

	/** Wait until no request of the peer runs; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		return this.#serving.drained(ms);
	}

	/** Drop the peer's requests that have not begun; they stay unanswered. Gives back how many messages that were. */
	dropWaiting(): number {
		return this.#admission.clear();
	}

	/** Give up the peer's requests that wait or run; they stay unanswered. */
	cancelIncoming(reason: string): void {
		this.#admission.clear();
		this.#serving.cancelAll(reason);
	}

	message(text: string): void {
		this.#intake.read(text, undefined, false);
	}

	oversize(line: OversizeLine): void {
		this.#intake.oversize(line);
	}

	end(reason: OrchestraError): void {
		if (this.#endReason) return;
		this.#endReason = reason;
		this.#admission.end();
		this.#outgoing.failAll(reason);
		this.#options.onEnd?.(reason);
	}

	#reply(text: string, batch: BatchAnswer | undefined): void {
		if (batch) return batch.add(text);
		try {
			this.#post(text);
		} catch (error) {
			// The peer that asked is gone; there is nobody to tell but the log.
			this.#log.debug(`an answer could not be sent: ${messageOf(error)}`);
		}
	}

	#post(text: string): void {
		const hasRoom = this.#channel.post(text);
		if (!hasRoom || this.#isCongested) this.#budget.posted(text.length);
		if (hasRoom || this.#isCongested) return;
		this.#isCongested = true;
		this.#admission.congested();
		const onFlushed = (): void => {
			this.#isCongested = false;
			this.#budget.flushed();
			// First what waits for an answer of ours: our own requests must not starve it.
			this.#admission.flushed();
			this.#outgoing.flushed();
		};
		// A pipe that broke says so by `end`; requests that wait would have no reader for their answers.
		this.#channel.flushed().then(onFlushed, () => this.#admission.clear());
	}

	#giveUp(reason: OrchestraError): void {
		this.#log.warn(reason.message);
		this.end(reason);
		this.cancelIncoming(reason.message);
		this.#channel.close().catch((thrown: unknown) => this.#log.debug(`close failed: ${messageOf(thrown)}`));
	}
}

function refuse(call: IncomingCall): never {
	throw methodNotFound(call.method);
}
