/*
 * Send and receive JSON values over a transport.
 *
 * Received values are queued in a mailbox of bounded size; when it is full, reading
 * pauses until `recv` takes some. A caller may send a lot before it receives, up to
 * that bound. Matching responses to requests is the job of the layer above.
 */
import { OrchestraError } from '../errors.ts';
import { onAbort } from '../rpc/abortable.ts';
import { canceledCall, oversizeMessage, parseFailure, serialize } from '../rpc/calls/message-errors.ts';
import type { Receiver } from '../rpc/channel.ts';
import { type JsonValue, parseJson } from '../wire/json.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Transport } from './transport.ts';
import { MAILBOX_CHARACTERS, MAILBOX_VALUES } from './transport-limits.ts';

/** Settings of a `Connection`. */
export interface ConnectionOptions {
	/** A line that is not JSON makes `recv` throw `parse`. Default: it is counted as a stray line. */
	strict?: boolean | undefined;
}

/** `characters` is the length of its text. */
type Item = ({ value: JsonValue } | { error: OrchestraError }) & { characters: number };

type Waiter = (item: Item) => void;

/** Sends and receives JSON values; an async iterable of the received values. */
export class Connection implements Receiver, AsyncIterable<JsonValue> {
	readonly #transport: Transport;
	readonly #isStrict: boolean;
	readonly #mailbox: Item[] = [];
	readonly #waiters = new Set<Waiter>();
	#characters = 0;
	#isPaused = false;
	#endReason: OrchestraError | undefined;

	constructor(transport: Transport, options: ConnectionOptions = {}) {
		this.#transport = transport;
		this.#isStrict = options.strict ?? false;
		transport.start(this);
	}

	/** True when the other end is gone or `close` was called. */
	get isClosed(): boolean {
		return this.#endReason !== undefined && this.#mailbox.length === 0;
	}

	/** Send a JSON value. Resolves when it was written to the operating system. */
	async send(value: JsonValue): Promise<void> {
		if (this.isClosed && this.#endReason) throw this.#endReason;
		this.#transport.post(encode(value));
		await this.#transport.flushed();
	}

	/** The next value. Rejects with `closed` after the end of the stream. */
	recv(options: { signal?: AbortSignal } = {}): Promise<JsonValue> {
		const waiting = this.#mailbox.shift();
		if (waiting) {
			this.#characters -= waiting.characters;
			this.#resumeReading();
			return 'value' in waiting ? Promise.resolve(waiting.value) : Promise.reject(waiting.error);
		}
		if (this.#endReason) return Promise.reject(this.#endReason);
		return this.#wait(options.signal);
	}

	/** All values until the stream ends. Leaving the loop closes the connection. */
	async *[Symbol.asyncIterator](): AsyncGenerator<JsonValue, void, undefined> {
		try {
			for (;;) yield await this.recv();
		} catch (error) {
			if (error !== this.#endReason) throw error;
		} finally {
			await this.close();
		}
	}

	/** Close the transport. Idempotent. */
	async close(): Promise<void> {
		this.#mailbox.length = 0;
		this.#characters = 0;
		await this.#transport.close();
	}

	message(text: string): void {
		try {
			// JSON.parse returns only JSON values.
			this.#take({ value: parseJson(text) as JsonValue, characters: text.length });
		} catch (cause) {
			if (text.trim() === '') return;
			this.#transport.logStray(text);
			if (this.#isStrict) this.#take({ error: parseFailure(text, cause), characters: text.length });
		}
	}

	oversize({ limitBytes }: OversizeLine): void {
		this.#take({ error: oversizeMessage(limitBytes), characters: 0 });
	}

	end(reason: OrchestraError): void {
		this.#endReason = reason;
		for (const settle of this.#waiters) settle({ error: reason, characters: 0 });
	}

	#take(item: Item): void {
		const [settle] = this.#waiters;
		if (settle) return settle(item);
		this.#mailbox.push(item);
		this.#characters += item.characters;
		const isFull = this.#mailbox.length >= MAILBOX_VALUES || this.#characters >= MAILBOX_CHARACTERS;
		if (!isFull || this.#isPaused) return;
		this.#isPaused = true;
		this.#transport.pause();
	}

	#resumeReading(): void {
		const isHalf = this.#mailbox.length <= MAILBOX_VALUES / 2 && this.#characters <= MAILBOX_CHARACTERS / 2;
		if (!this.#isPaused || !isHalf) return;
		this.#isPaused = false;
		this.#transport.resume();
	}

	#wait(signal: AbortSignal | undefined): Promise<JsonValue> {
		return new Promise((resolve, reject) => {
			const settle: Waiter = (item) => {
				this.#waiters.delete(settle);
				stopListening();
				if ('value' in item) resolve(item.value);
				else reject(item.error);
			};
			let stopListening = (): void => {};
			this.#waiters.add(settle);
			stopListening = onAbort(signal, () =>
				settle({ error: canceledCall('recv', signal?.reason), characters: 0 }),
			);
		});
	}
}

function encode(value: JsonValue): string {
	const text: string | undefined = serialize(() => JSON.stringify(value));
	if (text !== undefined) return text;
	throw new OrchestraError('bad_input', `failed to serialize request: ${typeof value} is not a JSON value`);
}
