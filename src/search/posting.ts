/*
 * Where one stem occurs: documents in rising order of their slots, so that one
 * is found by halving, and taking one out does not touch the others. Slot and
 * weight lie side by side in one list: filling a large index is bound by memory,
 * and one list is half the misses of two.
 */

export class Posting {
	/** A number that stands for this stem in the word rows of documents; never 0. */
	readonly number: number;
	readonly stem: string;
	/** The spellings met so far. */
	readonly forms: string[] = [];
	/** Row in the table of word vectors, once it was looked up. */
	vectorRow: number | undefined;
	/** Slot, weight, slot, weight… */
	readonly entries: number[] = [];

	constructor(number: number, stem: string) {
		this.number = number;
		this.stem = stem;
	}

	/** In how many documents the stem occurs. */
	get count(): number {
		return this.entries.length / 2;
	}

	/** The shortest spelling, for people. */
	get plainForm(): string {
		const [first = this.stem] = this.forms.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
		return first;
	}

	add(slot: number, weight: number): void {
		const { entries } = this;
		// Loading adds in rising order, so the end is by far the most frequent place.
		if (entries.length === 0 || (entries[entries.length - 2] ?? 0) < slot) entries.push(slot, weight);
		else entries.splice(this.#place(slot), 0, slot, weight);
	}

	remove(slot: number): void {
		const at = this.#place(slot);
		if (this.entries[at] === slot) this.entries.splice(at, 2);
	}

	#place(slot: number): number {
		let low = 0;
		let high = this.entries.length / 2;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if ((this.entries[2 * middle] ?? 0) < slot) low = middle + 1;
			else high = middle;
		}
		return 2 * low;
	}
}
