/*
 * An inverted index from stems to the slots of a list of concepts; positions are
 * numbered through all patterns of all lines. It is built before the first search, by
 * code that V8 has not optimized yet, so it uses typed arrays and plain loops.
 */
import type { ConceptList } from '../concepts/concept-list.ts';

export class PatternPositions {
	/** Pattern of each position. */
	readonly patternAt: Uint32Array;
	/** The number of lines that each stem is in. */
	readonly lineCounts: Uint32Array;
	/** How many positions each stem fills. */
	readonly #counts: Uint32Array;
	/** Where the positions of each stem end in `#positionsByStem`. */
	readonly #ends: Uint32Array;
	readonly #positionsByStem: Uint32Array;

	constructor(list: ConceptList) {
		this.patternAt = new Uint32Array(list.patterns.values.length);
		this.lineCounts = new Uint32Array(list.stems.size);
		this.#counts = new Uint32Array(list.stems.size);
		this.#ends = new Uint32Array(list.stems.size);
		this.#positionsByStem = new Uint32Array(this.#count(list));
		this.#sort(list);
	}

	/** Positions that a stem fills, in rising order. */
	positionsOf(stem: number): Uint32Array {
		const end = this.#ends[stem] ?? 0;
		return this.#positionsByStem.subarray(end - (this.#counts[stem] ?? 0), end);
	}

	/** Returns the number of pairs of a position and a stem, and sets `#ends` to the start of each stem. */
	#count({ patterns, lineOf, slots }: ConceptList): number {
		/** The last line that was seen to have a stem, counted from 1. */
		const lastLine = new Uint32Array(this.#counts.length);
		for (let pattern = 0; pattern < lineOf.length; pattern++) {
			const line = (lineOf[pattern] ?? 0) + 1;
			const end = patterns.starts[pattern + 1] ?? 0;
			for (let position = patterns.starts[pattern] ?? 0; position < end; position++) {
				this.patternAt[position] = pattern;
				const slot = patterns.values[position] ?? 0;
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
		for (let position = 0; position < patterns.values.length; position++) {
			const slot = patterns.values[position] ?? 0;
			const last = slots.starts[slot + 1] ?? 0;
			for (let at = slots.starts[slot] ?? 0; at < last; at++) {
				const root = slots.values[at] ?? 0;
				const end = this.#ends[root] ?? 0;
				this.#positionsByStem[end] = position;
				this.#ends[root] = end + 1;
			}
		}
	}
}
