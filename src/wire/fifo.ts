/*
 * A queue that costs the same however long it is: an array with the index of its first entry.
 * `Array.shift` moves all others.
 */
import { FIFO_COMPACT_ENTRIES } from './wire-limits.ts';

export class Fifo<T extends object> {
	#entries: (T | undefined)[] = [];
	#first = 0;

	get size(): number {
		return this.#entries.length - this.#first;
	}

	get head(): T | undefined {
		return this.#entries[this.#first];
	}

	push(entry: T): void {
		this.#entries.push(entry);
	}

	shift(): T | undefined {
		const entry = this.head;
		if (entry === undefined) return undefined;
		this.#entries[this.#first++] = undefined;
		const isDue = this.#first >= FIFO_COMPACT_ENTRIES && this.#first * 2 >= this.#entries.length;
		if (isDue || this.size === 0) this.replace(this.values());
		return entry;
	}

	/** Put another entry at the front, in place of the first one. */
	replaceHead(entry: T): void {
		this.#entries[this.#first] = entry;
	}

	/** All entries, the first one first, as an array of its own. */
	values(): T[] {
		// What was removed is before them.
		return this.#entries.slice(this.#first) as T[];
	}

	/** Have these entries and no others. The array is used. */
	replace(entries: T[]): void {
		this.#entries = entries;
		this.#first = 0;
	}
}
