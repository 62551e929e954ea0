/*
 * Frames on their way out of one stream.
 *
 * Small frames are sent as one piece; of a large one the payload is not copied,
 * the four bytes before it travel as a piece of their own.
 */
import { encodeFrame, FRAME_HEADER_BYTES } from '../wire/frame.ts';
import { LINK_HIGH_WATER_BYTES } from './link-limits.ts';

const COPIED_BYTES = 16_384;

export class Outgoing {
	#pieces: Uint8Array[] = [];
	#first = 0;
	#bytes = 0;
	#waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];

	get isEmpty(): boolean {
		return this.#first === this.#pieces.length;
	}

	/** The piece to send next. */
	get head(): Uint8Array | undefined {
		return this.#pieces[this.#first];
	}

	/** How many pieces wait behind the head. */
	get isLast(): boolean {
		return this.#first === this.#pieces.length - 1;
	}

	/** False when more waits than is good. */
	add(payload: Uint8Array): boolean {
		this.#bytes += FRAME_HEADER_BYTES + payload.length;
		if (payload.length <= COPIED_BYTES) this.#pieces.push(encodeFrame(payload));
		else this.#pieces.push(lengthOf(payload), payload);
		return this.#bytes <= LINK_HIGH_WATER_BYTES;
	}

	/** The first `count` bytes of the head are gone. */
	taken(count: number): void {
		const head = this.#pieces[this.#first];
		if (!head) return;
		this.#bytes -= count;
		if (count < head.length) this.#pieces[this.#first] = head.subarray(count);
		else this.#first++;
		if (this.isEmpty) {
			this.#pieces = [];
			this.#first = 0;
		}
		if (this.#bytes <= LINK_HIGH_WATER_BYTES && this.#waiters.length > 0) {
			for (const { resolve } of this.#waiters.splice(0)) resolve();
		}
	}

	drained(): Promise<void> {
		if (this.#bytes <= LINK_HIGH_WATER_BYTES) return Promise.resolve();
		return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
	}

	/** Forget what waits; whoever awaits room learns why. */
	clear(reason: Error): void {
		this.#pieces = [];
		this.#first = 0;
		this.#bytes = 0;
		for (const { reject } of this.#waiters.splice(0)) reject(reason);
	}
}

function lengthOf(payload: Uint8Array): Uint8Array {
	const header = new Uint8Array(FRAME_HEADER_BYTES);
	new DataView(header.buffer).setUint32(0, payload.length);
	return header;
}
