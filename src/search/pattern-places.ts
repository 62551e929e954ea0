/*
 * Where the slots of a list of concepts stand: places are counted through all
 * patterns of all lines. Columns of numbers, since the list is read before the
 * first answer and thousands of small objects would take longer than the reading.
 */
import type { ConceptList } from './concept-list.ts';

export class PatternPlaces {
	readonly patterns: number;
	/** Line of each pattern. */
	readonly lineOf: Uint32Array;
	/** First place of each pattern, and the end. */
	readonly starts: Uint32Array;
	/** Slot at each place, by its number. */
	readonly slotAt: Uint32Array;
	/** Pattern of each place. */
	readonly patternAt: Uint32Array;
	/** In how many lines each stem is. */
	readonly lineCounts: Uint32Array;
	readonly #list: ConceptList;
	/** Where the places of each stem end in `#placesByStem`. */
	readonly #ends: Uint32Array;
	readonly #placesByStem: Uint32Array;

	constructor(list: ConceptList) {
		this.#list = list;
		const rows = list.lines.flatMap(({ patterns }) => patterns);
		this.patterns = rows.length;
		this.slotAt = Uint32Array.from(rows.flat());
		this.lineOf = new Uint32Array(rows.length);
		this.starts = new Uint32Array(rows.length + 1);
		this.patternAt = new Uint32Array(this.slotAt.length);
		this.#number();
		this.lineCounts = new Uint32Array(list.stems.size);
		this.#ends = new Uint32Array(list.stems.size);
		this.#placesByStem = new Uint32Array(this.#count());
		this.#sort();
	}

	/** Places that a stem fills, in rising order. */
	placesOf(stem: number): Uint32Array {
		return this.#placesByStem.subarray(stem === 0 ? 0 : this.#ends[stem - 1], this.#ends[stem]);
	}

	#number(): void {
		let pattern = 0;
		let place = 0;
		for (const [line, { patterns }] of this.#list.lines.entries()) {
			for (const { length } of patterns) {
				this.lineOf[pattern] = line;
				this.patternAt.fill(pattern, place, place + length);
				place += length;
				this.starts[++pattern] = place;
			}
		}
	}

	/** How often each stem occurs, for a start where its places begin; gives how many there are in all. */
	#count(): number {
		/** The last line that was seen to have a stem, counted from 1. */
		const lastLine = new Uint32Array(this.#list.stems.size);
		const counts = new Uint32Array(this.#list.stems.size);
		for (const [place, slot] of this.slotAt.entries()) {
			const line = (this.lineOf[this.patternAt[place] ?? 0] ?? 0) + 1;
			for (const root of this.#list.slots[slot]?.stems ?? []) {
				counts[root] = (counts[root] ?? 0) + 1;
				if (lastLine[root] === line) continue;
				lastLine[root] = line;
				this.lineCounts[root] = (this.lineCounts[root] ?? 0) + 1;
			}
		}
		let sum = 0;
		for (const [root, count] of counts.entries()) {
			this.#ends[root] = sum;
			sum += count;
		}
		return sum;
	}

	#sort(): void {
		for (const [place, slot] of this.slotAt.entries()) {
			for (const root of this.#list.slots[slot]?.stems ?? []) {
				const end = this.#ends[root] ?? 0;
				this.#placesByStem[end] = place;
				this.#ends[root] = end + 1;
			}
		}
	}
}
