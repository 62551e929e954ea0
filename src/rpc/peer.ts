/*
 * One end of a JSON-RPC conversation: calls out, calls in, both at once.
 *
 * The peer reads what a `Channel` delivers and decides what it is; our calls
 * live in `OutgoingCalls`, the other side's in `Serving`. It never waits while it
 * reads: when the channel is congested, reading stops until the other side has
 * caught up, so a slow reader slows its own requests and nothing piles up.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { elementsOf, parseJson } from '../wire/json.ts';
import {
	encodeError,
	encodeNotification,
	type Id,
	idFromHead,
	type RpcErrorObject,
	readMessage,
	rpcCodes,
} from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { BatchAnswer } from './batch.ts';
import type { Channel, Receiver } from './channel.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Dialect, mcpDialect } from './dialect.ts';
import type { IncomingCall } from './incoming.ts';
import { OutgoingCalls, type RequestOptions, serialize } from './outgoing.ts';
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
	dialect?: Dialect;
	clock?: Clock;
	log?: Log;
}

export class Peer implements Receiver {
	readonly #channel: Channel;
	readonly #options: PeerOptions;
	readonly #dialect: Dialect;
	readonly #log: Log;
	readonly #outgoing: OutgoingCalls;
	readonly #serving: Serving;
	readonly #isServer: boolean;
	#endReason: OrchestraError | undefined;
	#brakes = 0;
	#isCongested = false;

	/** The caller starts the channel with this peer as its receiver. */
	constructor(channel: Channel, options: PeerOptions = {}) {
		const { dialect = mcpDialect, clock = systemClock, log = Log.silent, strict = false } = options;
		this.#channel = channel;
		this.#options = options;
		this.#dialect = dialect;
		this.#log = log;
		this.#isServer = options.role === 'server';
		this.#outgoing = new OutgoingCalls({ post: (text) => this.#post(text), dialect, clock, log, strict });
		this.#serving = new Serving({
			onRequest: options.onRequest ?? refuse,
			reply: (text, batch) => this.#reply(text, batch),
			onFull: (isFull) => this.#brake(isFull),
			clock,
			log,
		});
	}

	/** Requests of the peer that are being worked on. */
	get incomingCount(): number {
		return this.#serving.count;
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

	/** Tell the peer something. Throws when the pipe is closed. */
	notify(method: string, params?: unknown): void {
		this.#post(serialize(() => encodeNotification(method, params)));
	}

	/** Resolves when all we have said is with the operating system. */
	flushed(): Promise<void> {
		return this.#channel.flushed();
	}

	/** Wait until no request of the peer is being worked on; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		return this.#serving.drained(ms);
	}

	/** Give up the peer's requests that are still being worked on; they stay unanswered. */
	cancelIncoming(reason: string): void {
		this.#serving.cancelAll(reason);
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
		this.#log.warn(`${message}; it was dropped`);
		if (this.#isServer && known?.isRequest !== false) {
			return this.#answerError(known?.id, { code: rpcCodes.invalidRequest, message }, undefined);
		}
		const error = new OrchestraError('bad_frame', message, {
			hint: 'Raise `limitBytes`, or have the data sent as a resource link.',
			data: { limitBytes },
		});
		if (known && !known.isRequest) this.#outgoing.fail(known.id, error);
		else this.#outgoing.failOldest(error);
	}

	end(reason: OrchestraError): void {
		if (this.#endReason) return;
		this.#endReason = reason;
		this.#outgoing.failAll(reason);
		this.#options.onEnd?.(reason);
	}

	#take(value: unknown, text: string, batch: BatchAnswer | undefined): void {
		const read = readMessage(value, text);
		switch (read.kind) {
			case 'request':
				if (batch && this.#options.isAlone?.(read.message.method)) {
					const reason = `${read.message.method} must not be part of a batch`;
					return this.#invalid(read.message.id, reason, text, batch);
				}
				this.#dialect.restore(read.message.params, text);
				return this.#serving.serve(read.message, text, batch);
			case 'response':
				if (read.isBare && this.#isServer && !this.#outgoing.awaits(read.message.id))
					return this.#invalid(read.message.id, 'a request needs a `method`', text, batch);
				return this.#outgoing.settle(read.message);
			case 'notification':
				return this.#hear(read.message.method, read.message.params, text);
			case 'invalid':
				return this.#invalid(read.id, read.reason, text, batch);
		}
	}

	#hear(method: string, params: unknown, text: string): void {
		const canceledId = this.#dialect.canceledId(method, params, text);
		if (canceledId !== undefined) this.#serving.cancel(canceledId);
		const token = this.#dialect.progressToken(method, params);
		if (token !== undefined) this.#outgoing.progress(token, params);
		try {
			this.#options.onNotification?.(method, params);
		} catch (error) {
			this.#log.warn(`the handler of ${method} failed: ${messageOf(error)}`); // a notification has no answer
		}
	}

	#invalid(id: Id | null, reason: string, text: string, batch: BatchAnswer | undefined): void {
		if (!this.#isServer) return this.#channel.noteStray(text);
		batch?.expect();
		this.#answerError(
			id ?? undefined,
			{ code: rpcCodes.invalidRequest, message: `invalid request: ${reason}` },
			batch,
		);
	}

	#garbage(text: string, cause: unknown): void {
		if (text.trim() === '') return;
		if (this.#isServer) {
			const message = `parse error: ${messageOf(cause)}`;
			return this.#answerError(undefined, { code: rpcCodes.parse, message }, undefined);
		}
		this.#channel.noteStray(text);
		this.#outgoing.failOldest(
			new OrchestraError('parse', `failed to parse response: ${messageOf(cause)}`, { cause, data: { text } }),
		);
	}

	#batch(values: unknown[], text: string): void {
		if (values.length === 0) return this.#invalid(null, 'a batch must not be empty', text, undefined);
		if (!this.#options.acceptsBatch?.()) {
			return this.#invalid(null, 'this protocol version has no batches', text, undefined);
		}
		const batch = new BatchAnswer((answer) => this.#reply(answer, undefined));
		const texts = elementsOf(text);
		for (const [at, value] of values.entries()) this.#take(value, texts[at] ?? '', batch);
		batch.seal();
	}

	#answerError(id: Id | undefined, error: RpcErrorObject, batch: BatchAnswer | undefined): void {
		const unknownId = this.#options.unknownId ? this.#options.unknownId() : null;
		this.#reply(encodeError(id ?? unknownId, error), batch);
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
		if (this.#channel.post(text) || this.#isCongested) return;
		this.#isCongested = true;
		this.#brake(true);
		const release = (): void => {
			this.#isCongested = false;
			this.#brake(false);
		};
		// A pipe that broke meanwhile says so by `end`; here it only lets go of the brake.
		this.#channel.flushed().then(release, release);
	}

	/** Reading stops while there is any reason to. */
	#brake(isOn: boolean): void {
		this.#brakes += isOn ? 1 : -1;
		if (isOn && this.#brakes === 1) this.#channel.pause();
		if (!isOn && this.#brakes === 0) this.#channel.resume();
	}
}

function refuse(call: IncomingCall): never {
	throw methodNotFound(call.method);
}
