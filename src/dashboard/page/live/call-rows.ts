/*
 * The calls that the list shows, newest first.
 *
 * Rows arrive at both ends: new calls by events, older ones by pages as the reader scrolls. Two
 * arrays grow at their ends only, so 100,000 rows cost nothing per event. Beyond the limit the
 * oldest are removed, many at a time.
 */
import type { CallRow } from '../../api/api-calls.ts';

/** Rows above the limit that are removed at a time. */
const TRIM_STEP = 1_000;

export class CallRows {
	readonly #limit: number;
	/** Oldest first. */
	readonly #newer: CallRow[] = [];
	/** Newest first. */
	readonly #older: CallRow[] = [];

	constructor(limit: number) {
		this.#limit = limit;
	}

	get length(): number {
		return Math.min(this.#newer.length + this.#older.length, this.#limit);
	}

	/** The row at a place in the list; 0 is the newest. */
	at(index: number): CallRow | undefined {
		if (index >= this.length) return undefined;
		const fromNewer = this.#newer.length - 1 - index;
		return fromNewer >= 0 ? this.#newer[fromNewer] : this.#older[index - this.#newer.length];
	}

	/** The place of the call with this number; -1 when it is not here. */
	indexOf(number: number): number {
		const newer = find(this.#newer, number, 1);
		const older = find(this.#older, number, -1);
		const index = newer >= 0 ? this.#newer.length - 1 - newer : older >= 0 ? this.#newer.length + older : -1;
		return index < this.length ? index : -1;
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
		return !this.replace(row) && this.#insert(row);
	}

	/** Replace the row with the same number; false when there is none. */
	replace(row: CallRow): boolean {
		const newer = find(this.#newer, row.number, 1);
		if (newer >= 0) this.#newer[newer] = row;
		const older = newer >= 0 ? -1 : find(this.#older, row.number, -1);
		if (older >= 0) this.#older[older] = row;
		return newer >= 0 || older >= 0;
	}

	/** Remove the rows above the limit. True when the list is full. */
	trim(): boolean {
		const excess = this.#newer.length + this.#older.length - this.#limit;
		if (excess < TRIM_STEP) return excess >= 0;
		const kept = Math.max(0, this.#older.length - excess);
		const fromNewer = excess - (this.#older.length - kept);
		this.#older.length = kept;
		if (fromNewer > 0) this.#newer.splice(0, fromNewer);
		return true;
	}

	/** A call that ended late may match a filter only now: put it between the newer ones. */
	#insert(row: CallRow): boolean {
		const after = this.#newer.findLastIndex(({ number }) => number < row.number);
		if (after === -1 && row.number < (this.#older[0]?.number ?? Number.NEGATIVE_INFINITY)) return false;
		this.#newer.splice(after + 1, 0, row);
		return true;
	}
}

/** The place of the row with this number, or -1; `direction` is 1 in a rising array. */
function find(rows: readonly CallRow[], number: number, direction: 1 | -1): number {
	let low = 0;
	let high = rows.length - 1;
	while (low <= high) {
		const middle = (low + high) >> 1;
		const difference = ((rows[middle]?.number ?? 0) - number) * direction;
		if (difference === 0) return middle;
		if (difference < 0) low = middle + 1;
		else high = middle - 1;
	}
	return -1;
}
