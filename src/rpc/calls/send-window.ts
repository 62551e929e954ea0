/*
 * Flow control for our own requests: a window bounds those in flight, the rest is queued.
 *
 * The other side may have to buffer what we send, so the sum is bounded: our own peer
 * can always queue a whole window and never has to stop reading. An abandoned call
 * stays in the sum until its bytes are flushed, so a peer that never reads cannot
 * make our output grow.
 */
import { OrchestraError } from '../../errors.ts';
import { Fifo } from '../../wire/fifo.ts';
import { MESSAGE_OVERHEAD, WAITING_CHARACTERS, WINDOW_CHARACTERS } from '../../wire/wire-limits.ts';

/** The part of a call that the window uses. */
export interface WindowedCall {
	/** The text while it is queued; undefined once it was sent or abandoned. */
	unsent: string | undefined;
	/** Size in the window, in characters. */
	readonly cost: number;
}

export class SendWindow<Call extends WindowedCall> {
	readonly #send: (call: Call, text: string) => void;
	#inFlight = 0;
	#abandoned = 0;
	#queuedCost = 0;
	readonly #queue = new Fifo<Call>();

	/** @param send sends a call that was queued */
	constructor(send: (call: Call, text: string) => void) {
		this.#send = send;
	}

	static costOf(text: string): number {
		return text.length + MESSAGE_OVERHEAD;
	}

	/** True when a call of this cost fits into the window; it is then counted. */
	admits(cost: number): boolean {
		if (this.#queue.size > 0 || !this.#fits(cost)) return false;
		this.#inFlight += cost;
		return true;
	}

	/** Throws `bad_input` when the queue has no room for this cost. */
	assertRoom(cost: number): void {
		if (this.#queuedCost + cost <= WAITING_CHARACTERS) return;
		throw new OrchestraError(
			'bad_input',
			`the send queue is full: ${this.#queuedCost} characters of requests wait`,
			{
				hint: 'Wait for responses before you send more.',
				data: { limitCharacters: WAITING_CHARACTERS },
			},
		);
	}

	enqueue(call: Call): void {
		this.#queuedCost += call.cost;
		this.#queue.push(call);
	}

	/** A call ended. @param isFlushed false when its bytes may still be in our output */
	release(call: Call, isFlushed: boolean): void {
		if (call.unsent !== undefined) {
			call.unsent = undefined;
			this.#queuedCost -= call.cost;
			return;
		}
		if (!isFlushed) this.#abandoned += call.cost;
		else {
			this.#inFlight -= call.cost;
			if (this.#queue.size > 0) this.#sendQueued();
		}
	}

	flushed(): void {
		this.#inFlight -= this.#abandoned;
		this.#abandoned = 0;
		this.#sendQueued();
	}

	clear(): void {
		this.#queue.replace([]);
	}

	#fits(cost: number): boolean {
		return this.#inFlight === 0 || this.#inFlight + cost <= WINDOW_CHARACTERS;
	}

	#sendQueued(): void {
		for (let call = this.#queue.head; call; call = this.#queue.head) {
			const text = call.unsent;
			if (text !== undefined) {
				if (!this.#fits(call.cost)) return;
				call.unsent = undefined;
				this.#queuedCost -= call.cost;
				this.#inFlight += call.cost;
			}
			this.#queue.shift();
			if (text !== undefined) this.#send(call, text);
		}
	}
}
