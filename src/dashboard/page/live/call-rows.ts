/*
 * The calls that the list shows, newest first.
 *
 * Rows arrive at both ends: new calls by events, older ones by pages as the reader scrolls. Two
 * arrays grow at their ends only, so 100,000 rows cost nothing per event.
 */
import type { CallRow } from '../../api-calls.ts';

export class CallRows {
	/** Oldest first. */
	readonly #newer: CallRow[] = [];
	/** Newest first. */
	readonly #older: CallRow[] = [];

	get length(): number {
		return this.#newer.length + this.#older.length;
	}

	/** The row at a place in the list; 0 is the newest. */
	at(index: number): CallRow | undefined {
		const fromNewer = this.#newer.length - 1 - index;
		return fromNewer >= 0 ? this.#newer[fromNewer] : this.#older[index - this.#newer.length];
	}

	/** Add a page of older calls, newest first. */
	append(rows: readonly CallRow[]): void {
		for (const row of rows) {
			const last = this.at(this.length - 1);
			if (last === undefined || row.number < last.number) this.#older.push(row);
		}
	}

	/** Take a row of an event. True when it is new, false when it replaced one or is older than the list. */
	take(row: CallRow): boolean {
		const newest = this.at(0);
		if (newest === undefined || row.number > newest.number) {
			this.#newer.push(row);
			return true;
		}
		if (replace(this.#newer, row, 1) || replace(this.#older, row, -1)) return false;
		return this.#insert(row);
	}

	/** A call that ended late may match a filter only now: put it between the newer ones. */
	#insert(row: CallRow): boolean {
		const after = this.#newer.findLastIndex(({ number }) => number < row.number);
		if (after === -1 && row.number < (this.#older[0]?.number ?? Number.NEGATIVE_INFINITY)) return false;
		this.#newer.splice(after + 1, 0, row);
		return true;
	}
}

/** Replace the row with the same number; `direction` is 1 in a rising array. */
function replace(rows: CallRow[], row: CallRow, direction: 1 | -1): boolean {
	let low = 0;
	let high = rows.length - 1;
	while (low <= high) {
		const middle = (low + high) >> 1;
		const difference = ((rows[middle]?.number ?? 0) - row.number) * direction;
		if (difference === 0) {
			rows[middle] = row;
			return true;
		}
		if (difference < 0) low = middle + 1;
		else high = middle - 1;
	}
	return false;
}
