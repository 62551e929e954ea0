/*
 * Reassembly buffer: the bytes of an incomplete message.
 *
 * Chunks are copied into one buffer that grows by a factor, so a huge message and a
 * million tiny chunks both cost a constant per byte, in time and in memory. A list
 * of chunks would cost an object per chunk. The factor is four because pages that
 * were never written take no memory.
 */
import { REASSEMBLY_COPY_BYTES, REASSEMBLY_IDLE_BYTES, REASSEMBLY_SMALLEST_BYTES } from './wire-limits.ts';

const GROWTH = 4;

export class ReassemblyBuffer {
	#buffer: Buffer = Buffer.alloc(0);
	#size = 0;

	get size(): number {
		return this.#size;
	}

	/** The buffered bytes. Valid until the next `append`, `take` or `clear`. */
	get bytes(): Buffer {
		return this.#buffer.subarray(0, this.#size);
	}

	append(part: Uint8Array): void {
		const size = this.#size + part.length;
		if (size > this.#buffer.length) this.#grow(size);
		this.#buffer.set(part, this.#size);
		this.#size = size;
	}

	/** Remove and return all bytes from `start` on. A large buffer is handed over; a small one is copied and reused. */
	take(start: number): Uint8Array<ArrayBuffer> {
		const bytes = this.bytes.subarray(start);
		const isLarge = bytes.length > REASSEMBLY_COPY_BYTES;
		this.#size = 0;
		if (!isLarge) return new Uint8Array(bytes);
		this.#buffer = Buffer.alloc(0);
		// Allocated by `#grow`, so it is not a SharedArrayBuffer.
		return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
	}

	/** Discard everything; a large buffer is freed. */
	clear(): void {
		this.#size = 0;
		if (this.#buffer.length > REASSEMBLY_IDLE_BYTES) this.#buffer = Buffer.alloc(0);
	}

	#grow(size: number): void {
		const larger = Buffer.allocUnsafeSlow(
			Math.max(size, this.#buffer.length * GROWTH, REASSEMBLY_SMALLEST_BYTES),
		);
		larger.set(this.bytes);
		this.#buffer = larger;
	}
}
