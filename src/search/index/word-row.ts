/*
 * Word numbers in reading order: a growable array that is reused for each document, so
 * that loading allocates nothing for it.
 */

/** Numbers on one page of stored rows. */
const PAGE = 16_384;

/** The words of a document. */
export interface WordPlaces {
	/** Numbers of postings in reading order; 0 ends an item. */
	readonly row: Uint32Array;
	/** Where each field starts in the row, and the end. */
	readonly starts: readonly number[];
}

export class WordRow {
	numbers: Uint32Array = new Uint32Array(1024);
	length = 0;
	#page = new Uint32Array(0);
	#pageEnd = 0;

	push(number: number): void {
		if (this.length === this.numbers.length) this.#grow();
		this.numbers[this.length++] = number;
	}

	clear(): void {
		this.length = 0;
	}

	/** What was pushed, as a copy of its own. */
	copy(): Uint32Array {
		return this.numbers.slice(0, this.length);
	}

	/**
	 * The same on a page shared with the rows stored before and after it, which is faster to make and
	 * smaller. For rows that stay: a page goes when its last row does.
	 */
	store(): Uint32Array {
		const start = this.#pageEnd + this.length > this.#page.length ? this.#turnPage() : this.#pageEnd;
		this.#pageEnd = start + this.length;
		const stored = this.#page.subarray(start, this.#pageEnd);
		stored.set(this.numbers.subarray(0, this.length));
		return stored;
	}

	#turnPage(): number {
		this.#page = new Uint32Array(Math.max(PAGE, this.length));
		return 0;
	}

	#grow(): void {
		const grown = new Uint32Array(2 * this.numbers.length);
		grown.set(this.numbers);
		this.numbers = grown;
	}
}
