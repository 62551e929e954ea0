/*
 * The send queue of one stream.
 *
 * A small frame is one chunk. The payload of a large frame is not copied: its header
 * is a separate chunk.
 */
import { Fifo } from '../wire/fifo.ts';
import { encodeFrame, FRAME_HEADER_BYTES } from '../wire/frame.ts';
import { COPY_LIMIT_BYTES, LINK_HIGH_WATER_BYTES } from './link-limits.ts';

export class SendQueue {
	readonly #chunks = new Fifo<Uint8Array>();
	#bytes = 0;
	#waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];

	get isEmpty(): boolean {
		return this.#chunks.size === 0;
	}

	get head(): Uint8Array | undefined {
		return this.#chunks.head;
	}

	/** True when the head is the last chunk. */
	get isLast(): boolean {
		return this.#chunks.size === 1;
	}

	/** Queue one frame; false when the queue is above the high-water mark. */
	add(payload: Uint8Array): boolean {
		this.#bytes += FRAME_HEADER_BYTES + payload.length;
		if (payload.length <= COPY_LIMIT_BYTES) this.#chunks.push(encodeFrame(payload));
		else {
			this.#chunks.push(headerOf(payload));
			this.#chunks.push(payload);
		}
		return this.#bytes <= LINK_HIGH_WATER_BYTES;
	}

	/** The first `count` bytes of the head were sent. */
	sent(count: number): void {
		const { head } = this;
		if (!head) return;
		this.#bytes -= count;
		if (count < head.length) this.#chunks.replaceHead(head.subarray(count));
		else this.#chunks.shift();
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
		this.#chunks.replace([]);
		this.#bytes = 0;
		for (const { reject } of this.#waiters.splice(0)) reject(reason);
	}
}

function headerOf(payload: Uint8Array): Uint8Array {
	const header = new Uint8Array(FRAME_HEADER_BYTES);
	new DataView(header.buffer).setUint32(0, payload.length);
	return header;
}
