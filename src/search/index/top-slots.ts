/*
 * The top k of many scores without sorting all: a binary heap with the lowest of the
 * retained scores on top. Ties are broken by an order of the caller, so the result does not
 * depend on the order of arrival.
 */

export class TopSlots {
	readonly #limit: number;
	readonly #isBefore: (slot: number, other: number) => boolean;
	readonly #slots: number[] = [];
	readonly #scores: number[] = [];

	/** @param isBefore which of two slots goes first when their scores are equal */
	constructor(limit: number, isBefore: (slot: number, other: number) => boolean) {
		this.#limit = limit;
		this.#isBefore = isBefore;
	}

	add(slot: number, score: number): void {
		if (this.#slots.length < this.#limit) {
			this.#slots.push(slot);
			this.#scores.push(score);
			this.#rise(this.#slots.length - 1);
		} else if (this.#limit > 0 && this.#isWorse(this.#slots[0] ?? 0, this.#scores[0] ?? 0, slot, score)) {
			this.#slots[0] = slot;
			this.#scores[0] = score;
			this.#sink(0);
		}
	}

	/** The best slots, in no particular order. */
	entries(): Array<{ slot: number; score: number }> {
		return this.#slots.map((slot, index) => ({ slot, score: this.#scores[index] ?? 0 }));
	}

	#isWorse(slot: number, score: number, otherSlot: number, otherScore: number): boolean {
		return score < otherScore || (score === otherScore && this.#isBefore(otherSlot, slot));
	}

	#isWorseAt(a: number, b: number): boolean {
		return this.#isWorse(
			this.#slots[a] ?? 0,
			this.#scores[a] ?? 0,
			this.#slots[b] ?? 0,
			this.#scores[b] ?? 0,
		);
	}

	#rise(start: number): void {
		let at = start;
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if (!this.#isWorseAt(at, parent)) return;
			this.#swap(at, parent);
			at = parent;
		}
	}

	#sink(start: number): void {
		let at = start;
		for (;;) {
			const left = 2 * at + 1;
			let worst = at;
			if (left < this.#slots.length && this.#isWorseAt(left, worst)) worst = left;
			if (left + 1 < this.#slots.length && this.#isWorseAt(left + 1, worst)) worst = left + 1;
			if (worst === at) return;
			this.#swap(at, worst);
			at = worst;
		}
	}

	#swap(a: number, b: number): void {
		const slot = this.#slots[a] ?? 0;
		const score = this.#scores[a] ?? 0;
		this.#slots[a] = this.#slots[b] ?? 0;
		this.#scores[a] = this.#scores[b] ?? 0;
		this.#slots[b] = slot;
		this.#scores[b] = score;
	}
}
