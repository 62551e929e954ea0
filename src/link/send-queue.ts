/*
 * The send queue of one stream.
 *
 * A small frame is one chunk. The payload of a large frame is not copied: its header
 * is a separate chunk.
 */
import { encodeFrame, FRAME_HEADER_BYTES } from '../wire/frame.ts';
import { COPY_LIMIT_BYTES, LINK_HIGH_WATER_BYTES } from './link-limits.ts';

export class SendQueue {
	#chunks: Uint8Array[] = [];
	#first = 0;
	#bytes = 0;
	#waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];

	get isEmpty(): boolean {
		return this.#first === this.#chunks.length;
	}

	get head(): Uint8Array | undefined {
		return this.#chunks[this.#first];
	}

	/** True when the head is the last chunk. */
	get isLast(): boolean {
		return this.#first === this.#chunks.length - 1;
	}

	/** Queue one frame; false when the queue is above the high-water mark. */
	add(payload: Uint8Array): boolean {
		this.#bytes += FRAME_HEADER_BYTES + payload.length;
		if (payload.length <= COPY_LIMIT_BYTES) this.#chunks.push(encodeFrame(payload));
		else this.#chunks.push(headerOf(payload), payload);
		return this.#bytes <= LINK_HIGH_WATER_BYTES;
	}

	/** The first `count` bytes of the head were sent. */
	sent(count: number): void {
		const head = this.#chunks[this.#first];
		if (!head) return;
		this.#bytes -= count;
		if (count < head.length) this.#chunks[this.#first] = head.subarray(count);
		else this.#first++;
		if (this.isEmpty) {
			this.#chunks = [];
			this.#first = 0;
		}
		if (this.#bytes <= LINK_HIGH_WATER_BYTES && this.#waiters.length > 0) {
			for (const { resolve } of this.#waiters.splice(0)) resolve();
		}
	}

	/** Resolves when the queue is below the high-water mark. */
	drained(): Promise<void> {
		if (this.#bytes <= LINK_HIGH_WATER_BYTES) return Promise.resolve();
		return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
	}

	/** Drop the queue and reject pending `drained()` promises with `reason`. */
	clear(reason: Error): void {
		this.#chunks = [];
		this.#first = 0;
		this.#bytes = 0;
		for (const { reject } of this.#waiters.splice(0)) reject(reason);
	}
}

function headerOf(payload: Uint8Array): Uint8Array {
	const header = new Uint8Array(FRAME_HEADER_BYTES);
	new DataView(header.buffer).setUint32(0, payload.length);
	return header;
}
