/*
 * Rows of integers in one array, instead of thousands of small arrays, which would
 * take longer to allocate than to fill.
 */

export class NumberRows {
	readonly values: number[] = [];
	/** Where each row begins, and where the next one would. */
	readonly starts: number[] = [0];

	/** How many rows are whole. */
	get count(): number {
		return this.starts.length - 1;
	}

	/** End the row that was pushed to `values`. Returns its number. */
	end(): number {
		return this.starts.push(this.values.length) - 2;
	}

	row(number: number): number[] {
		return this.values.slice(this.starts[number], this.starts[number + 1]);
	}
}
