/*
 * How much of our own requests is in flight. What is more waits its turn here.
 *
 * The other side may have to hold in memory what we send, so the sum is bounded:
 * a peer of ours can always queue a whole window and never has to stop reading. A
 * call that was given up before its bytes were taken stays in the sum until they
 * are, so a peer that never reads cannot make our output grow.
 */
import { OrchestraError } from '../errors.ts';
import { MESSAGE_OVERHEAD, WAITING_CHARACTERS, WINDOW_CHARACTERS } from '../wire/wire-limits.ts';

/** The part of a call that the window looks at. */
export interface WindowedCall {
	/** Its text while it waits to be sent; undefined once it was sent or given up. */
	unsent: string | undefined;
	/** What it counts, in characters. */
	readonly cost: number;
}

export class SendWindow<Call extends WindowedCall> {
	readonly #send: (call: Call, text: string) => void;
	#inFlight = 0;
	#abandoned = 0;
	#waitingCost = 0;
	#waiting: Call[] = [];
	#first = 0;

	/** @param send is called for a call that has waited */
	constructor(send: (call: Call, text: string) => void) {
		this.#send = send;
	}

	static costOf(text: string): number {
		return text.length + MESSAGE_OVERHEAD;
	}

	/** Whether a call of this cost may be sent now; it is counted if so. */
	admits(cost: number): boolean {
		if (this.#first < this.#waiting.length || !this.#fits(cost)) return false;
		this.#inFlight += cost;
		return true;
	}

	/** Throws when so much waits that another call may not. */
	assertRoom(cost: number): void {
		if (this.#waitingCost + cost <= WAITING_CHARACTERS) return;
		throw new OrchestraError(
			'bad_input',
			`too many requests wait to be sent: ${this.#waitingCost} characters`,
			{
				hint: 'Wait for answers before you send more.',
				data: { limitCharacters: WAITING_CHARACTERS },
			},
		);
	}

	/** This call has to wait. */
	wait(call: Call): void {
		this.#waitingCost += call.cost;
		this.#waiting.push(call);
	}

	/** A call is over. @param isTaken false when its bytes may still wait in our output */
	release(call: Call, isTaken: boolean): void {
		if (call.unsent !== undefined) {
			call.unsent = undefined;
			this.#waitingCost -= call.cost;
			return;
		}
		if (!isTaken) this.#abandoned += call.cost;
		else {
			this.#inFlight -= call.cost;
			if (this.#first < this.#waiting.length) this.#sendWaiting();
		}
	}

	/** All that we have said was taken. */
	flushed(): void {
		this.#inFlight -= this.#abandoned;
		this.#abandoned = 0;
		this.#sendWaiting();
	}

	/** Nothing will be sent any more. */
	clear(): void {
		this.#waiting = [];
		this.#first = 0;
	}

	#fits(cost: number): boolean {
		return this.#inFlight === 0 || this.#inFlight + cost <= WINDOW_CHARACTERS;
	}

	#sendWaiting(): void {
		for (let call = this.#waiting[this.#first]; call; call = this.#waiting[this.#first]) {
			const text = call.unsent;
			if (text !== undefined) {
				if (!this.#fits(call.cost)) return;
				call.unsent = undefined;
				this.#waitingCost -= call.cost;
				this.#inFlight += call.cost;
			}
			this.#first++;
			if (text !== undefined) this.#send(call, text);
		}
		this.clear();
	}
}
