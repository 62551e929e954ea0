/*
 * A table of word vectors: words with similar use have similar vectors. The table is
 * created by scripts/vectors.py and passed in as bytes, so that this layer needs no
 * files. Rows are quantized to int8 with a scale each, and are read in place.
 *
 *     "orchwv01"  dimensions u16  zero u16  words u32  bytes of the words u32
 *     stems, one a line · a scale f32 a stem · a row of i8 a stem
 */
import { OrchestraError } from '../../errors.ts';

const MAGIC = 'orchwv01';
const HEADER_BYTES = 20;
const SCALE_BYTES = 4;

/** Row of a word that the table does not have. */
export const NO_ROW = -1;

export class WordVectors {
	readonly dimensions: number;
	readonly #byStem = new Map<string, number>();
	readonly #scales: Float32Array;
	readonly #rows: Int8Array;

	/** Throws `bad_input` for bytes that are no such table. The bytes are used as they are and must not change. */
	constructor(bytes: Uint8Array) {
		const { dimensions, stems, scales, rows } = readTable(bytes);
		this.dimensions = dimensions;
		for (let row = 0; row < stems.length; row++) this.#byStem.set(stems[row] ?? '', row);
		this.#scales = scales;
		this.#rows = rows;
	}

	get size(): number {
		return this.#byStem.size;
	}

	/** The row of a stem, or `NO_ROW`. */
	rowOf(stem: string): number {
		return this.#byStem.get(stem) ?? NO_ROW;
	}

	/** Add `weight` times the row to the vector that begins at `start` of `sum`. */
	addTo(sum: Float32Array, start: number, row: number, weight: number): void {
		const { dimensions } = this;
		const rows = this.#rows;
		const factor = weight * (this.#scales[row] ?? 0);
		const from = row * dimensions;
		for (let at = 0; at < dimensions; at++) {
			sum[start + at] = (sum[start + at] ?? 0) + factor * (rows[from + at] ?? 0);
		}
	}

	/** How much the row adds to `vector`: the product of the two. */
	product(row: number, vector: Float32Array): number {
		const { dimensions } = this;
		const rows = this.#rows;
		const from = row * dimensions;
		let sum = 0;
		for (let at = 0; at < dimensions; at++) sum += (rows[from + at] ?? 0) * (vector[at] ?? 0);
		return sum * (this.#scales[row] ?? 0);
	}

	/** How alike two words are used: 1 the same way, 0 nothing in common. */
	similarity(row: number, other: number): number {
		const { dimensions } = this;
		const rows = this.#rows;
		let product = 0;
		let own = 0;
		let others = 0;
		for (let at = 0; at < dimensions; at++) {
			const a = rows[row * dimensions + at] ?? 0;
			const b = rows[other * dimensions + at] ?? 0;
			product += a * b;
			own += a * a;
			others += b * b;
		}
		return product === 0 ? 0 : product / Math.sqrt(own * others);
	}
}

interface Table {
	dimensions: number;
	stems: string[];
	scales: Float32Array;
	rows: Int8Array;
}

function readTable(bytes: Uint8Array): Table {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (bytes.length < HEADER_BYTES) throw broken(`has ${bytes.length} bytes and no header`);
	const magic = String.fromCharCode(...bytes.subarray(0, MAGIC.length));
	if (magic !== MAGIC) throw broken(`does not begin with "${MAGIC}"`);
	const dimensions = view.getUint16(8, true);
	const count = view.getUint32(12, true);
	const textBytes = view.getUint32(16, true);
	const scalesAt = HEADER_BYTES + textBytes;
	const rowsAt = scalesAt + SCALE_BYTES * count;
	const expected = rowsAt + dimensions * count;
	if (bytes.length !== expected) throw broken(`has ${bytes.length} bytes instead of ${expected}`);
	const stems = new TextDecoder().decode(bytes.subarray(HEADER_BYTES, scalesAt)).split('\n');
	if (stems.length !== count) throw broken(`has ${stems.length} words instead of ${count}`);
	return {
		dimensions,
		stems,
		scales: new Float32Array(Uint8Array.from(bytes.subarray(scalesAt, rowsAt)).buffer),
		rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, dimensions * count),
	};
}

function broken(problem: string): OrchestraError {
	return new OrchestraError('bad_input', `the table of word vectors ${problem}`, {
		hint: 'Install the package again.',
	});
}
