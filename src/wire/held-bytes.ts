/*
 * The bytes of a message that is not complete yet.
 *
 * They are copied into one buffer that grows by a factor, so that neither a huge
 * message nor a million tiny chunks cost more than a constant per byte, in time
 * and in memory. Keeping the chunks in a list would cost an object per chunk.
 * The factor is four because room that was never written to takes no memory.
 */

const SMALLEST_BYTES = 4096;
const GROWTH = 4;
const LARGEST_IDLE_BYTES = 1024 * 1024;
const LARGEST_COPY_BYTES = 64 * 1024;

export class HeldBytes {
	#buffer: Buffer = Buffer.alloc(0);
	#size = 0;

	get size(): number {
		return this.#size;
	}

	/** What is held. Valid until the next `append` or `clear`. */
	get bytes(): Buffer {
		return this.#buffer.subarray(0, this.#size);
	}

	append(part: Uint8Array): void {
		const size = this.#size + part.length;
		if (size > this.#buffer.length) this.#grow(size);
		this.#buffer.set(part, this.#size);
		this.#size = size;
	}

	/** Hand out all from `start` on and forget it. A large buffer goes along; a small one is copied and used again. */
	take(start: number): Uint8Array<ArrayBuffer> {
		const bytes = this.bytes.subarray(start);
		const isLarge = bytes.length > LARGEST_COPY_BYTES;
		this.#size = 0;
		if (!isLarge) return new Uint8Array(bytes);
		this.#buffer = Buffer.alloc(0);
		// The buffer was made for us alone, so it is not a shared one.
		return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
	}

	/** Forget everything; a large buffer is given back. */
	clear(): void {
		this.#size = 0;
		if (this.#buffer.length > LARGEST_IDLE_BYTES) this.#buffer = Buffer.alloc(0);
	}

	#grow(size: number): void {
		const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#buffer.length * GROWTH, SMALLEST_BYTES));
		larger.set(this.bytes);
		this.#buffer = larger;
	}
}
