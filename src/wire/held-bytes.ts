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
