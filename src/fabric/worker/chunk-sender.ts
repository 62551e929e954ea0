/*
 * A result that is sent in chunks, with credit: at most `CHUNK_WINDOW` chunks are in
 * flight, and an acknowledgement gives credit for more. Without it the server would
 * disconnect a busy hub as a slow consumer. Pure.
 */
import { CHUNK_BYTES, CHUNK_WINDOW, HUB_WINDOW } from '../fabric-limits.ts';

/** Counts the chunks in flight to one hub, over all results. */
export class HubCredit {
	#inFlight = 0;
	readonly #waiting = new Set<ChunkSender>();

	/** Take credit for one chunk; without any, the sender continues when another has given some back. */
	take(sender: ChunkSender): boolean {
		if (this.#inFlight >= HUB_WINDOW) {
			this.#waiting.add(sender);
			return false;
		}
		this.#inFlight++;
		return true;
	}

	/** Give back the credit of chunks that have arrived, or are not awaited any more. */
	giveBack(chunks: number): void {
		this.#inFlight -= chunks;
		if (chunks === 0) return;
		const waiting = [...this.#waiting];
		this.#waiting.clear();
		for (const sender of waiting) sender.send();
	}

	leave(sender: ChunkSender): void {
		this.#waiting.delete(sender);
	}
}

export interface ChunkSenderOptions {
	readonly bytes: Uint8Array;
	readonly credit: HubCredit;
	/** Send one chunk. */
	readonly publish: (seq: number, chunk: Uint8Array) => void;
}

export class ChunkSender {
	readonly count: number;
	readonly #options: ChunkSenderOptions;
	#sent = 0;
	#acknowledged = 0;
	#isClosed = false;

	constructor(options: ChunkSenderOptions) {
		this.#options = options;
		this.count = Math.ceil(options.bytes.length / CHUNK_BYTES);
	}

	get isComplete(): boolean {
		return this.#acknowledged === this.count;
	}

	/** Send as much as the credit allows. */
	send(): void {
		const { bytes, credit, publish } = this.#options;
		while (!this.#isClosed && this.#sent < this.count && this.#sent - this.#acknowledged < CHUNK_WINDOW) {
			if (!credit.take(this)) return;
			const seq = this.#sent++;
			publish(seq, bytes.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES));
		}
	}

	/** The receiver has every chunk before `next`. */
	acknowledge(next: number): void {
		if (next <= this.#acknowledged || next > this.#sent) return;
		const arrived = next - this.#acknowledged;
		this.#acknowledged = next;
		this.#options.credit.giveBack(arrived);
		this.send();
	}

	/** The receiver asks for `next` after a lost connection: start again there. */
	resume(next: number): void {
		if (next > this.count || next < this.#acknowledged) return;
		const inFlight = this.#sent - this.#acknowledged;
		this.#acknowledged = next;
		this.#sent = next;
		this.#options.credit.giveBack(inFlight);
		this.send();
	}

	/** Give back all credit; nothing more is sent. */
	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#options.credit.leave(this);
		this.#options.credit.giveBack(this.#sent - this.#acknowledged);
	}
}
