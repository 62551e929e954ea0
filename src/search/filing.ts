/*
 * Entries on their way to their postings.
 *
 * A document touches hundreds of postings that lie all over the memory, and
 * loading thousands of documents one by one spends most of its time waiting for
 * it. So entries are written down in a row first, sorted by posting, and then
 * filed posting by posting, each of which is fetched once a batch.
 */
import type { Lexicon } from './lexicon.ts';

/** Entries of one batch: small enough to be filed in a few milliseconds. */
const BATCH = 65_536;

export class Filing {
	readonly #lexicon: Lexicon;
	readonly #numbers = new Uint32Array(BATCH);
	readonly #slots = new Uint32Array(BATCH);
	readonly #weights = new Float64Array(BATCH);
	readonly #order = new Uint32Array(BATCH);
	#length = 0;

	constructor(lexicon: Lexicon) {
		this.#lexicon = lexicon;
	}

	/** Note that the document at `slot` holds the stem `number`. */
	add(number: number, slot: number, weight: number): void {
		if (this.#length === BATCH) this.settle();
		this.#numbers[this.#length] = number;
		this.#slots[this.#length] = slot;
		this.#weights[this.#length] = weight;
		this.#length++;
	}

	/** Bring everything to its posting. To be called before postings are read. */
	settle(): void {
		if (this.#length === 0) return;
		this.#sort();
		for (let place = 0; place < this.#length; place++) {
			const at = this.#order[place] ?? 0;
			this.#lexicon.byNumber(this.#numbers[at] ?? 0)?.add(this.#slots[at] ?? 0, this.#weights[at] ?? 0);
		}
		this.#length = 0;
	}

	/** A counting sort by number: equal numbers keep the order in which they came. */
	#sort(): void {
		const starts = new Uint32Array(this.#lexicon.highestNumber + 2);
		for (let at = 0; at < this.#length; at++) {
			const next = (this.#numbers[at] ?? 0) + 1;
			starts[next] = (starts[next] ?? 0) + 1;
		}
		for (let number = 1; number < starts.length; number++) {
			starts[number] = (starts[number] ?? 0) + (starts[number - 1] ?? 0);
		}
		for (let at = 0; at < this.#length; at++) {
			const number = this.#numbers[at] ?? 0;
			const place = starts[number] ?? 0;
			starts[number] = place + 1;
			this.#order[place] = at;
		}
	}
}
