/*
 * Numbers of words in reading order: a list that is filled for one document
 * after another and keeps its room, so that loading makes no garbage of it.
 */
export class WordRow {
	numbers: Uint32Array = new Uint32Array(1024);
	length = 0;

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

	#grow(): void {
		const grown = new Uint32Array(2 * this.numbers.length);
		grown.set(this.numbers);
		this.numbers = grown;
	}
}
