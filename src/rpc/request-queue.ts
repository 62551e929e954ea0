/*
 * Requests of the peer that wait until they may be dispatched, in the order they
 * came; notifications that came behind one wait with it.
 *
 * Only the text is kept: it is parsed again when its time comes, because parsed
 * values take several times the memory. A canceled request is found by its id
 * and gives its text back at once; its empty place leaves in order.
 */
import { MESSAGE_OVERHEAD, QUEUED_CHARACTERS } from '../wire/wire-limits.ts';
import type { BatchAnswer } from './batch.ts';

export interface QueuedMessage {
	/** The message as it came; empty once it was canceled. */
	text: string;
	/** The key of its id, for a request. */
	readonly key: string | number | undefined;
	/** Collects the answer when the request was part of an array. */
	readonly batch: BatchAnswer | undefined;
}

/** How many empty places at the front are kept before the array is cut. */
const CUT_AT = 1024;

export class RequestQueue {
	readonly #byKey = new Map<string | number, QueuedMessage>();
	#messages: (QueuedMessage | undefined)[] = [];
	#first = 0;
	#cost = 0;

	get isEmpty(): boolean {
		return this.#first === this.#messages.length;
	}

	/** Messages that wait. */
	get count(): number {
		return this.#messages.length - this.#first;
	}

	/** True when no further request fits. */
	get isFull(): boolean {
		return this.#cost >= QUEUED_CHARACTERS;
	}

	/** True when so much has left that reading may go on. */
	get hasRoom(): boolean {
		return this.#cost <= QUEUED_CHARACTERS / 2;
	}

	push(message: QueuedMessage): void {
		message.batch?.expect();
		this.#cost += costOf(message);
		this.#messages.push(message);
		if (message.key !== undefined && !this.#byKey.has(message.key)) this.#byKey.set(message.key, message);
	}

	/** The next one that was not canceled. Whoever serves it releases its batch afterwards. */
	shift(): QueuedMessage | undefined {
		while (!this.isEmpty) {
			const message = this.#messages[this.#first];
			this.#messages[this.#first++] = undefined;
			this.#cut();
			if (message === undefined) continue;
			this.#cost -= costOf(message);
			this.#forget(message);
			if (message.text !== '') return message;
		}
		return undefined;
	}

	/** Cancel the request with this key; false when none waits. */
	cancel(key: string | number): boolean {
		const message = this.#byKey.get(key);
		if (message === undefined) return false;
		this.#cost -= message.text.length;
		message.text = '';
		this.#forget(message);
		message.batch?.release();
		return true;
	}

	/** Drop everything; it stays unanswered. Gives back how many messages that were. */
	clear(): number {
		let dropped = 0;
		for (let message = this.shift(); message; message = this.shift()) {
			message.batch?.release();
			dropped++;
		}
		return dropped;
	}

	#forget(message: QueuedMessage): void {
		if (message.key !== undefined && this.#byKey.get(message.key) === message)
			this.#byKey.delete(message.key);
	}

	#cut(): void {
		if (this.isEmpty) this.#messages = [];
		else if (this.#first < CUT_AT || this.#first < this.#messages.length / 2) return;
		else this.#messages = this.#messages.slice(this.#first);
		this.#first = 0;
	}
}

function costOf({ text }: QueuedMessage): number {
	return text.length + MESSAGE_OVERHEAD;
}
