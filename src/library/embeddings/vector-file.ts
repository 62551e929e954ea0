/*
 * Vectors of strings, by their hashes, on disk and in memory: a string is sent once for
 * a model, over restarts too. One byte a dimension and a scale a vector: the error is far
 * below what two models differ by.
 *
 *     "orchev01"  dimensions u32  vectors u32  then each: hash (16 bytes) · scale f32 · row of i8
 */
import { OrchestraError } from '../../errors.ts';
import { readIfPresent, replaceFile } from '../../files/replace-file.ts';
import { CACHED_VECTORS, VECTORS_FILE_LIMIT_BYTES } from './embedding-limits.ts';

const MAGIC = Buffer.from('orchev01');
const HEADER_BYTES = 16;
const HASH_BYTES = 16;
const SCALE_BYTES = 4;

interface StoredVector {
	readonly scale: number;
	readonly row: Int8Array;
}

export class VectorFile {
	readonly #file: string;
	/** Least recently used first. */
	readonly #byHash = new Map<string, StoredVector>();
	#dimensions = 0;
	#isChanged = false;

	/** A file that cannot be used is as if there were none. */
	constructor(file: string) {
		this.#file = file;
		try {
			this.#read(readIfPresent(file, VECTORS_FILE_LIMIT_BYTES));
		} catch {
			this.#byHash.clear(); // broken or too large: the vectors are requested again
		}
	}

	has(hash: string): boolean {
		return this.#byHash.has(hash);
	}

	/** Vectors of other dimensions than the stored ones take their place: the model has changed. */
	put(hash: string, vector: Float32Array): void {
		if (vector.length !== this.#dimensions) this.#byHash.clear();
		this.#dimensions = vector.length;
		const scale = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
		this.#byHash.delete(hash);
		this.#byHash.set(hash, { scale, row: Int8Array.from(vector, (value) => Math.round(value / scale)) });
		this.#isChanged = true;
		for (const oldest of this.#byHash.keys()) {
			if (this.#byHash.size <= CACHED_VECTORS) break;
			this.#byHash.delete(oldest);
		}
	}

	/** Cosine similarity; undefined without a vector, or with one of other dimensions. */
	similarity(hash: string, vector: Float32Array): number | undefined {
		const stored = this.#byHash.get(hash);
		if (stored?.row.length !== vector.length) return undefined;
		const { row, scale } = stored;
		let sum = 0;
		for (let at = 0; at < vector.length; at++) sum += (row[at] ?? 0) * (vector[at] ?? 0);
		return sum * scale;
	}

	/** Write what changed. System errors pass through. */
	save(): void {
		if (!this.#isChanged) return;
		const size = HASH_BYTES + SCALE_BYTES + this.#dimensions;
		const bytes = Buffer.alloc(HEADER_BYTES + this.#byHash.size * size);
		MAGIC.copy(bytes);
		bytes.writeUInt32LE(this.#dimensions, MAGIC.length);
		bytes.writeUInt32LE(this.#byHash.size, MAGIC.length + 4);
		let at = HEADER_BYTES;
		for (const [hash, { scale, row }] of this.#byHash) {
			bytes.write(hash, at, 'hex');
			bytes.writeFloatLE(scale, at + HASH_BYTES);
			bytes.set(new Uint8Array(row.buffer, row.byteOffset, row.length), at + HASH_BYTES + SCALE_BYTES);
			at += size;
		}
		replaceFile(this.#file, bytes, { mode: 0o600 });
		this.#isChanged = false;
	}

	#read(bytes: Buffer | undefined): void {
		if (bytes === undefined) return;
		const isOurs = bytes.length >= HEADER_BYTES && bytes.subarray(0, MAGIC.length).equals(MAGIC);
		const dimensions = isOurs ? bytes.readUInt32LE(MAGIC.length) : 0;
		const count = isOurs ? bytes.readUInt32LE(MAGIC.length + 4) : 0;
		const size = HASH_BYTES + SCALE_BYTES + dimensions;
		if (dimensions === 0 || bytes.length !== HEADER_BYTES + count * size || count > CACHED_VECTORS)
			throw new OrchestraError('bad_input', `${this.#file} is no file of vectors`);
		this.#dimensions = dimensions;
		for (let at = HEADER_BYTES; at < bytes.length; at += size) {
			const scale = bytes.readFloatLE(at + HASH_BYTES);
			const row = new Int8Array(bytes.buffer, bytes.byteOffset + at + HASH_BYTES + SCALE_BYTES, dimensions);
			if (Number.isFinite(scale))
				this.#byHash.set(bytes.toString('hex', at, at + HASH_BYTES), { scale, row });
		}
	}
}
