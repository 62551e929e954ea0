/*
 * Where the slots of a list of concepts stand: places are counted through all
 * patterns of all lines. It is worked out before the first answer, by code that
 * is not warm yet, so these are columns of numbers and plain loops.
 */
import type { ConceptList } from '../concepts/concept-list.ts';

export class PatternPlaces {
	/** Pattern of each place. */
	readonly patternAt: Uint32Array;
	/** In how many lines each stem is. */
	readonly lineCounts: Uint32Array;
	/** How many places each stem fills. */
	readonly #counts: Uint32Array;
	/** Where the places of each stem end in `#placesByStem`. */
	readonly #ends: Uint32Array;
	readonly #placesByStem: Uint32Array;

	constructor(list: ConceptList) {
		this.patternAt = new Uint32Array(list.patterns.values.length);
		this.lineCounts = new Uint32Array(list.stems.size);
		this.#counts = new Uint32Array(list.stems.size);
		this.#ends = new Uint32Array(list.stems.size);
		this.#placesByStem = new Uint32Array(this.#count(list));
		this.#sort(list);
	}

	/** Places that a stem fills, in rising order. */
	placesOf(stem: number): Uint32Array {
		const end = this.#ends[stem] ?? 0;
		return this.#placesByStem.subarray(end - (this.#counts[stem] ?? 0), end);
	}

	/** Gives how many pairs of a place and a stem there are; `#ends` has where each stem begins by then. */
	#count({ patterns, lineOf, slots }: ConceptList): number {
		/** The last line that was seen to have a stem, counted from 1. */
		const lastLine = new Uint32Array(this.#counts.length);
		for (let pattern = 0; pattern < lineOf.length; pattern++) {
			const line = (lineOf[pattern] ?? 0) + 1;
			const end = patterns.starts[pattern + 1] ?? 0;
			for (let place = patterns.starts[pattern] ?? 0; place < end; place++) {
				this.patternAt[place] = pattern;
				const slot = patterns.values[place] ?? 0;
				const last = slots.starts[slot + 1] ?? 0;
				for (let at = slots.starts[slot] ?? 0; at < last; at++) {
					const root = slots.values[at] ?? 0;
					this.#counts[root] = (this.#counts[root] ?? 0) + 1;
					if (lastLine[root] === line) continue;
					lastLine[root] = line;
					this.lineCounts[root] = (this.lineCounts[root] ?? 0) + 1;
				}
			}
		}
		let sum = 0;
		for (let root = 0; root < this.#counts.length; root++) {
			this.#ends[root] = sum;
			sum += this.#counts[root] ?? 0;
		}
		return sum;
	}

	#sort({ patterns, slots }: ConceptList): void {
		for (let place = 0; place < patterns.values.length; place++) {
			const slot = patterns.values[place] ?? 0;
			const last = slots.starts[slot + 1] ?? 0;
			for (let at = slots.starts[slot] ?? 0; at < last; at++) {
				const root = slots.values[at] ?? 0;
				const end = this.#ends[root] ?? 0;
				this.#placesByStem[end] = place;
				this.#ends[root] = end + 1;
			}
		}
	}
}
