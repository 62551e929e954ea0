/*
 * The calls that the list shows, newest first.
 *
 * Rows arrive at both ends: new calls by events, older ones by pages as the reader scrolls. The
 * array has the oldest first, so an event costs nothing with 100,000 rows; a page moves them once.
 * Beyond the limit the oldest are removed, many at a time.
 */
import type { CallRow } from '../../api/api-calls.ts';

/** Rows above the limit that are removed at a time. */
const TRIM_STEP = 1_000;

export class CallRows {
	readonly #limit: number;
	/** Oldest first. */
	#rows: CallRow[] = [];

	constructor(limit: number) {
		this.#limit = limit;
	}

	get length(): number {
		return Math.min(this.#rows.length, this.#limit);
	}

	/** The row at a place in the list; 0 is the newest. */
	at(index: number): CallRow | undefined {
		return index < this.length ? this.#rows[this.#rows.length - 1 - index] : undefined;
	}

	/** The place of the call with this number; -1 when it is not here. */
	indexOf(number: number): number {
		const at = this.#placeOf(number);
		const index = this.#rows.length - 1 - at;
		return this.#rows[at]?.number === number && index < this.length ? index : -1;
	}

	/** Add a page of older calls, newest first. */
	append(rows: readonly CallRow[]): void {
		const oldest = this.#rows[0]?.number ?? Number.POSITIVE_INFINITY;
		this.#rows = [...rows.filter(({ number }) => number < oldest).toReversed(), ...this.#rows];
	}

	/** Take a row of an event. True when it is new, false when it replaced one or is older than the list. */
	take(row: CallRow): boolean {
		if (this.replace(row)) return false;
		const at = this.#placeOf(row.number);
		if (at === 0 && this.#rows.length > 0) return false;
		// A call that ended late may match a filter only now: it comes between the others.
		this.#rows.splice(at, 0, row);
		return true;
	}

	/** Replace the row with the same number; false when there is none. */
	replace(row: CallRow): boolean {
		const at = this.#placeOf(row.number);
		if (this.#rows[at]?.number !== row.number) return false;
		this.#rows[at] = row;
		return true;
	}

	/** Remove the rows above the limit. True when the list is full. */
	trim(): boolean {
		const excess = this.#rows.length - this.#limit;
		if (excess >= TRIM_STEP) this.#rows.splice(0, excess);
		return excess >= 0;
	}

	/** The place in the array of this number, or of the next greater one. */
	#placeOf(number: number): number {
		let low = 0;
		let high = this.#rows.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((this.#rows[middle]?.number ?? 0) < number) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
