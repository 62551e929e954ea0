/*
 * FIFO queue of requests of the peer; notifications that arrive behind a queued
 * request are queued too, to keep the order.
 *
 * Only the text is queued and parsed again later, because parsed values take several
 * times the memory. A canceled request is found by its id and frees its text at
 * once; its empty entry is removed in order.
 */
import { Fifo } from '../../wire/fifo.ts';
import type { Id } from '../../wire/json-rpc.ts';
import { MESSAGE_OVERHEAD, QUEUED_CHARACTERS } from '../../wire/wire-limits.ts';
import type { BatchResponse } from './batch-response.ts';

export interface QueuedMessage {
	/** The message as received; empty once it was canceled. */
	text: string;
	/** The id of a request. */
	readonly key: Id | undefined;
	/** Collects the response when the request was part of a batch. */
	readonly batch: BatchResponse | undefined;
}

export class RequestQueue {
	readonly #byKey = new Map<string | number, QueuedMessage>();
	readonly #messages = new Fifo<QueuedMessage>();
	#cost = 0;

	get isEmpty(): boolean {
		return this.#messages.size === 0;
	}

	get count(): number {
		return this.#messages.size;
	}

	/** True when the queue is above its high-water mark. */
	get isFull(): boolean {
		return this.#cost >= QUEUED_CHARACTERS;
	}

	/** True when the queue is below its low-water mark, so reading may resume. */
	get hasRoom(): boolean {
		return this.#cost <= QUEUED_CHARACTERS / 2;
	}

	push(message: QueuedMessage): void {
		message.batch?.expect();
		this.#cost += costOf(message);
		this.#messages.push(message);
		if (message.key !== undefined && !this.#byKey.has(message.key)) this.#byKey.set(message.key, message);
	}

	/** The next message that was not canceled. The caller releases its batch after handling it. */
	shift(): QueuedMessage | undefined {
		for (let message = this.#messages.shift(); message; message = this.#messages.shift()) {
			this.#cost -= costOf(message);
			this.#removeKey(message);
			if (message.text !== '') return message;
		}
		return undefined;
	}

	/** Cancel the request with this key; false when it is not queued. */
	cancel(key: Id): boolean {
		const message = this.#byKey.get(key);
		if (message === undefined) return false;
		this.#cost -= message.text.length;
		message.text = '';
		this.#removeKey(message);
		message.batch?.release();
		return true;
	}

	/** Drop all messages; they get no response. Returns their number. */
	clear(): number {
		let dropped = 0;
		for (let message = this.shift(); message; message = this.shift()) {
			message.batch?.release();
			dropped++;
		}
		return dropped;
	}

	#removeKey(message: QueuedMessage): void {
		if (message.key !== undefined && this.#byKey.get(message.key) === message)
			this.#byKey.delete(message.key);
	}
}

function costOf({ text }: QueuedMessage): number {
	return text.length + MESSAGE_OVERHEAD;
}
