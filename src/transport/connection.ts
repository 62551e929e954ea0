/*
 * The simplest way to talk over a transport: send a value, receive a value.
 *
 * Values that nobody has asked for yet wait in a mailbox of bounded size; when it
 * is full, reading pauses until `recv` takes some. A caller that sends much before it
 * receives is served up to that bound. Which answer belongs to which question is for the layer above.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Receiver } from '../rpc/channel.ts';
import { type JsonValue, parseJson } from '../wire/json.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Transport } from './transport.ts';

/** How many values wait unread before reading pauses, and how many characters of text they may have. */
export const MAILBOX_VALUES = 10_000;
export const MAILBOX_CHARACTERS: number = 64 * 1024 * 1024;

export interface ConnectionOptions {
	/** A line that is not JSON makes `recv` throw `parse`. Default: it is set aside and counted. */
	strict?: boolean | undefined;
}

/** `characters` is the length of its text. */
type Item = ({ value: JsonValue } | { error: OrchestraError }) & { characters: number };

interface Waiter {
	settle: (item: Item) => void;
}

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

	/** Send any JSON value. Resolves when its bytes are with the operating system. */
	async send(value: JsonValue): Promise<void> {
		if (this.isClosed && this.#endReason) throw this.#endReason;
		this.#transport.post(encode(value));
		await this.#transport.flushed();
	}

	/** The next value. Throws `closed` at the end of the stream and ever after. */
	recv(options: { signal?: AbortSignal } = {}): Promise<JsonValue> {
		const waiting = this.#mailbox.shift();
		if (waiting) {
			this.#characters -= waiting.characters;
			this.#readOn();
			return 'value' in waiting ? Promise.resolve(waiting.value) : Promise.reject(waiting.error);
		}
		if (this.#endReason) return Promise.reject(this.#endReason);
		return this.#wait(options.signal);
	}

	/** All values until the stream ends. Stopping early closes the connection. */
	async *[Symbol.asyncIterator](): AsyncGenerator<JsonValue, void, undefined> {
		try {
			for (;;) yield await this.recv();
		} catch (error) {
			if (error !== this.#endReason) throw error;
		} finally {
			await this.close();
		}
	}

	/** Close both ends and wait for the other side to be gone. Idempotent. */
	async close(): Promise<void> {
		this.#mailbox.length = 0;
		this.#characters = 0;
		await this.#transport.close();
	}

	message(text: string): void {
		try {
			// JSON.parse gives JSON values and nothing else.
			this.#take({ value: parseJson(text) as JsonValue, characters: text.length });
		} catch (cause) {
			if (text.trim() === '') return;
			this.#transport.noteStray(text);
			const message = `failed to parse response: ${messageOf(cause)}`;
			const error = new OrchestraError('parse', message, { cause, data: { text } });
			if (this.#isStrict) this.#take({ error, characters: text.length });
		}
	}

	oversize({ limitBytes }: OversizeLine): void {
		const message = `message is longer than the limit of ${limitBytes} bytes`;
		const error = new OrchestraError('bad_frame', message, { data: { limitBytes } });
		this.#take({ error, characters: 0 });
	}

	end(reason: OrchestraError): void {
		this.#endReason = reason;
		for (const waiter of this.#waiters) waiter.settle({ error: reason, characters: 0 });
	}

	#take(item: Item): void {
		const [waiter] = this.#waiters;
		if (waiter) return waiter.settle(item);
		this.#mailbox.push(item);
		this.#characters += item.characters;
		const isFull = this.#mailbox.length >= MAILBOX_VALUES || this.#characters >= MAILBOX_CHARACTERS;
		if (!isFull || this.#isPaused) return;
		this.#isPaused = true;
		this.#transport.pause();
	}

	#readOn(): void {
		const isHalf = this.#mailbox.length <= MAILBOX_VALUES / 2 && this.#characters <= MAILBOX_CHARACTERS / 2;
		if (!this.#isPaused || !isHalf) return;
		this.#isPaused = false;
		this.#transport.resume();
	}

	#wait(signal: AbortSignal | undefined): Promise<JsonValue> {
		return new Promise((resolve, reject) => {
			const waiter: Waiter = {
				settle: (item) => {
					this.#waiters.delete(waiter);
					signal?.removeEventListener('abort', onAbort);
					if ('value' in item) resolve(item.value);
					else reject(item.error);
				},
			};
			const onAbort = (): void =>
				waiter.settle({
					error: new OrchestraError('canceled', 'recv was canceled', { cause: signal?.reason }),
					characters: 0,
				});
			this.#waiters.add(waiter);
			if (signal?.aborted) onAbort();
			else signal?.addEventListener('abort', onAbort, { once: true });
		});
	}
}

function encode(value: JsonValue): string {
	try {
		const text: string | undefined = JSON.stringify(value);
		if (text !== undefined) return text;
	} catch (cause) {
		throw new OrchestraError('bad_input', `failed to serialize request: ${messageOf(cause)}`, { cause });
	}
	throw new OrchestraError('bad_input', `failed to serialize request: ${typeof value} is not a JSON value`);
}
