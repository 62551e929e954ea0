/* Vectors that lie one after another in a list of numbers. */

/** Give a vector the length 1; false for one that is zero. */
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

/** The product of `vector`, of a length that four divides, and the one that begins at `from` of `rows`. */
export function productAt(vector: Float32Array, rows: Float32Array, from: number): number {
	const { length } = vector;
	// Four sums, since each addition waits for the one before: this loop is most of a match.
	let a = 0;
	let b = 0;
	let c = 0;
	let d = 0;
	for (let at = 0; at < length; at += 4) {
		a += (vector[at] ?? 0) * (rows[from + at] ?? 0);
		b += (vector[at + 1] ?? 0) * (rows[from + at + 1] ?? 0);
		c += (vector[at + 2] ?? 0) * (rows[from + at + 2] ?? 0);
		d += (vector[at + 3] ?? 0) * (rows[from + at + 3] ?? 0);
	}
	return a + b + c + d;
}
