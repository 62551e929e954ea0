/*
 * The posting list of one stem in the inverted index: documents in ascending order
 * of their slots, for binary search. Slot and weight are interleaved in one array:
 * building a large index is bound by memory, and one array has half the cache
 * misses of two.
 */

/** Capacity of a list when it gets its first entry. */
const FIRST_ROOM = 4;
const none = new Float64Array(0);

export class PostingList {
	/** The number of this stem in the word rows of documents; never 0. */
	readonly number: number;
	readonly stem: string;
	/** The spellings found so far. */
	readonly forms: string[] = [];
	/** Row in the table of word vectors, once it was looked up. */
	vectorRow: number | undefined;
	/** Slot, weight, slot, weight… up to `end`; the rest is spare capacity. */
	entries: Float64Array = none;
	end = 0;

	constructor(number: number, stem: string) {
		this.number = number;
		this.stem = stem;
	}

	/** The number of documents that the stem occurs in. */
	get count(): number {
		return this.end / 2;
	}

	/** The shortest spelling, for people. */
	get plainForm(): string {
		const [first = this.stem] = this.forms.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
		return first;
	}

	add(slot: number, weight: number): void {
		if (this.end === this.entries.length) this.#grow();
		const at = this.#place(slot);
		this.entries.copyWithin(at + 2, at, this.end);
		this.entries[at] = slot;
		this.entries[at + 1] = weight;
		this.end += 2;
	}

	/** The weight of a document; 0 when it does not have the stem. */
	weightOf(slot: number): number {
		const at = this.#place(slot);
		return at < this.end && this.entries[at] === slot ? (this.entries[at + 1] ?? 0) : 0;
	}

	remove(slot: number): void {
		const at = this.#place(slot);
		if (at === this.end || this.entries[at] !== slot) return;
		this.entries.copyWithin(at, at + 2, this.end);
		this.end -= 2;
	}

	/** Move the entries to `room`, which must be large enough. */
	moveTo(room: Float64Array): void {
		room.set(this.entries.subarray(0, this.end));
		this.entries = room;
	}

	#grow(): void {
		const count = Math.max(FIRST_ROOM, Math.ceil(1.5 * this.count));
		this.moveTo(new Float64Array(2 * count));
	}

	/** Where `slot` is, or where it belongs. */
	#place(slot: number): number {
		const { entries, end } = this;
		// Most are added in ascending order, so the end is by far the most frequent place.
		if (end === 0 || (entries[end - 2] ?? 0) < slot) return end;
		let low = 0;
		let high = end / 2;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if ((entries[2 * middle] ?? 0) < slot) low = middle + 1;
			else high = middle;
		}
		return 2 * low;
	}
}
