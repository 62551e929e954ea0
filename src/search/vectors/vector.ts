/* Vectors that lie one after another in a list of numbers. */

/** Normalize a vector to length 1; false for a zero vector. */
export function toUnit(values: Float32Array, start: number, end: number): boolean {
	let squares = 0;
	for (let at = start; at < end; at++) {
		const value = values[at] ?? 0;
		squares += value * value;
	}
	if (squares === 0) return false;
	const factor = 1 / Math.sqrt(squares);
	for (let at = start; at < end; at++) values[at] = (values[at] ?? 0) * factor;
	return true;
}

/**
 * The products of `vector`, of a length that four divides, and each of the first rows of `rows`, into `products`.
 * This loop is most of a match. Four sums, since each addition waits for the one before; two rows at a time,
 * since the vector is read once for both.
 */
export function multiply(vector: Float32Array, rows: Float32Array, products: Float64Array): void {
	const { length } = vector;
	const last = products.length - 1;
	for (let row = 0; row <= last; row += 2) {
		const first = row * length;
		// The last of an odd number of rows goes with itself.
		const second = Math.min(row + 1, last) * length;
		let a = 0;
		let b = 0;
		let c = 0;
		let d = 0;
		let e = 0;
		let f = 0;
		let g = 0;
		let h = 0;
		for (let at = 0; at < length; at += 4) {
			const w = vector[at] ?? 0;
			const x = vector[at + 1] ?? 0;
			const y = vector[at + 2] ?? 0;
			const z = vector[at + 3] ?? 0;
			a += w * (rows[first + at] ?? 0);
			b += x * (rows[first + at + 1] ?? 0);
			c += y * (rows[first + at + 2] ?? 0);
			d += z * (rows[first + at + 3] ?? 0);
			e += w * (rows[second + at] ?? 0);
			f += x * (rows[second + at + 1] ?? 0);
			g += y * (rows[second + at + 2] ?? 0);
			h += z * (rows[second + at + 3] ?? 0);
		}
		products[row] = a + b + c + d;
		if (row < last) products[row + 1] = e + f + g + h;
	}
}
