/*
 * A write buffer for posting lists.
 *
 * A document adds to hundreds of posting lists in scattered memory. Adding thousands of
 * documents one by one is bound by cache misses and by growing the lists. So entries
 * are buffered in batches. With many entries the final length of every list is known:
 * all lists are laid out in one allocation, and each entry is written to its final
 * place. A few entries are added one by one.
 */
import type { Lexicon } from './lexicon.ts';

/** Entries of one batch: few enough to be filed in a few milliseconds. */
const BATCH = 65_536;
/** Lists are laid out anew when there is at least one entry to file for so many filed before. */
const FILED_FOR_ONE = 8;

interface Batch {
	numbers: Uint32Array;
	slots: Uint32Array;
	weights: Float64Array;
	length: number;
}

export class PendingPostings {
	readonly #lexicon: Lexicon;
	#batch: Batch = emptyBatch();
	#batches: Batch[] = [this.#batch];
	/** Highest slot that was ever added: entries beyond it belong at the end of their list. */
	#highestSlot = 0;
	#isRising = true;
	#filed = 0;
	/** The rest of a filing under way. */
	#steps: Generator<void> | undefined;

	constructor(lexicon: Lexicon) {
		this.#lexicon = lexicon;
	}

	/** The document at `slot` has the stem `number`. */
	add(number: number, slot: number, weight: number): void {
		if (this.#steps) this.settle();
		if (this.#batch.length === BATCH) this.#batches.push((this.#batch = emptyBatch()));
		if (slot < this.#highestSlot) this.#isRising = false;
		else this.#highestSlot = slot;
		const batch = this.#batch;
		const at = batch.length++;
		batch.numbers[at] = number;
		batch.slots[at] = slot;
		batch.weights[at] = weight;
	}

	/** Write the buffer to the posting lists until `isTime`. Returns true when all is written and lists may be read. */
	settle(isTime: () => boolean = () => false): boolean {
		if (this.#batch.length === 0) return true;
		this.#steps ??= this.#isWorthLayingOut() ? this.#fileAtOnce() : this.#fileOneByOne();
		while (!this.#steps.next().done) if (isTime()) return false;
		this.#filed += this.#length;
		this.#steps = undefined;
		this.#isRising = true;
		this.#batch.length = 0;
		this.#batches = [this.#batch];
		return true;
	}

	get #length(): number {
		return this.#batches.reduce((sum, { length }) => sum + length, 0);
	}

	#isWorthLayingOut(): boolean {
		return this.#isRising && this.#length * FILED_FOR_ONE >= this.#filed;
	}

	*#fileOneByOne(): Generator<void> {
		for (const { numbers, slots, weights, length } of this.#batches) {
			for (let at = 0; at < length; at++) {
				this.#lexicon.byNumber(numbers[at] ?? 0)?.add(slots[at] ?? 0, weights[at] ?? 0);
			}
			yield;
		}
	}

	*#fileAtOnce(): Generator<void> {
		const counts = this.#count();
		yield;
		const { lists, ends } = this.#layOut(counts);
		yield;
		for (const { numbers, slots, weights, length } of this.#batches) {
			for (let at = 0; at < length; at++) {
				const number = numbers[at] ?? 0;
				const end = ends[number] ?? 0;
				lists[end] = slots[at] ?? 0;
				lists[end + 1] = weights[at] ?? 0;
				ends[number] = end + 2;
			}
			yield;
		}
	}

	/** How many entries each number gets. */
	#count(): Uint32Array {
		const counts = new Uint32Array(this.#lexicon.highestNumber + 1);
		for (const { numbers, length } of this.#batches) {
			for (let at = 0; at < length; at++) {
				const number = numbers[at] ?? 0;
				counts[number] = (counts[number] ?? 0) + 1;
			}
		}
		return counts;
	}

	/** Allocate every list at its final length; `ends` has the place of its first new entry, by number. */
	#layOut(counts: Uint32Array): { lists: Float64Array; ends: Float64Array } {
		const wanted = (number: number) => (this.#lexicon.byNumber(number)?.end ?? 0) + 2 * (counts[number] ?? 0);
		let size = 0;
		for (let number = 0; number < counts.length; number++) if (counts[number] !== 0) size += wanted(number);
		const lists = new Float64Array(size);
		const ends = new Float64Array(counts.length);
		let start = 0;
		for (let number = 0; number < counts.length; number++) {
			const posting = counts[number] === 0 ? undefined : this.#lexicon.byNumber(number);
			if (!posting) continue;
			const end = start + wanted(number);
			ends[number] = start + posting.end;
			posting.moveTo(lists.subarray(start, end));
			posting.end = end - start;
			start = end;
		}
		return { lists, ends };
	}
}

function emptyBatch(): Batch {
	return {
		numbers: new Uint32Array(BATCH),
		slots: new Uint32Array(BATCH),
		weights: new Float64Array(BATCH),
		length: 0,
	};
}
