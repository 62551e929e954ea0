/*
 * A result that arrives in chunks.
 *
 * Chunks count only in order. After a gap, which only a lost connection makes, the rest
 * is ignored until the sender starts again at the wanted chunk. Pure.
 */
import { OrchestraError } from '../../errors.ts';
import { ACK_EVERY, CHUNK_BYTES, RESULT_LIMIT_BYTES } from '../fabric-limits.ts';

export class ChunkReceiver {
	readonly #parts: Uint8Array[] = [];
	readonly #count: number;
	readonly #size: number;
	#received = 0;

	/** Throws `bad_frame` when the numbers do not fit together, or the size is above the limit. */
	constructor(count: number, size: number) {
		if (size > RESULT_LIMIT_BYTES) {
			throw new OrchestraError('bad_frame', `the result has ${size} bytes, more than ${RESULT_LIMIT_BYTES}`, {
				hint: 'Let the tool write a file, or return a part.',
			});
		}
		if (count < 1 || count !== Math.ceil(size / CHUNK_BYTES))
			throw new OrchestraError('bad_frame', `a result of ${size} bytes does not have ${count} chunks`);
		this.#count = count;
		this.#size = size;
	}

	/** The next chunk that is wanted. */
	get next(): number {
		return this.#parts.length;
	}

	get isComplete(): boolean {
		return this.#parts.length === this.#count;
	}

	/** Take a chunk. True when it must be acknowledged. Throws `bad_frame` when there are too many bytes. */
	take(seq: number, bytes: Uint8Array): boolean {
		if (seq !== this.next || this.isComplete) return false;
		this.#received += bytes.length;
		if (this.#received > this.#size || (seq === this.#count - 1 && this.#received !== this.#size))
			throw new OrchestraError('bad_frame', `the chunks of a result do not add up to ${this.#size} bytes`);
		this.#parts.push(bytes);
		return this.isComplete || this.next % ACK_EVERY === 0;
	}

	/** The whole text, when it is complete. */
	text(): string {
		return Buffer.concat(this.#parts, this.#size).toString('utf8');
	}
}
