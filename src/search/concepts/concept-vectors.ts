/*
 * A vector for each line of the concepts, so that a query matches a line that says
 * the same in other words.
 */

import type { PatternIndex } from '../index/pattern-index.ts';
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import { multiply, toUnit } from '../vectors/vector.ts';
import { NO_ROW, type WordVectors } from '../vectors/word-vectors.ts';
import type { ConceptList } from './concept-list.ts';

/** Exponent of the IDF of a word among the lines: 0 ignores it, 1 takes all of it. */
const RARITY_POWER = 0.5;

export class ConceptVectors {
	readonly #vectors: WordVectors;
	readonly #index: PatternIndex;
	readonly #rows: Float32Array;
	readonly #similarities: Float64Array;

	constructor(vectors: WordVectors, index: PatternIndex, list: ConceptList) {
		const { dimensions } = vectors;
		this.#vectors = vectors;
		this.#index = index;
		this.#rows = new Float32Array(list.terms.length * dimensions);
		this.#similarities = new Float64Array(list.terms.length);
		this.#sumUp(list);
		for (let line = 0; line < list.terms.length; line++) {
			toUnit(this.#rows, line * dimensions, (line + 1) * dimensions);
		}
	}

	/** The vector of a query; undefined when none of its words is known. */
	toVector(words: readonly string[]): Float32Array | undefined {
		const vector = new Float32Array(this.#vectors.dimensions);
		for (const word of words) if (!stopWords.has(word)) this.#add(vector, stem(word));
		return toUnit(vector, 0, vector.length) ? vector : undefined;
	}

	/** Cosine similarity of each line, from -1 to 1; valid until the next query. */
	similarities(query: Float32Array): Float64Array {
		multiply(query, this.#rows, this.#similarities);
		return this.#similarities;
	}

	/** Similarity of one word to a line. */
	similarityOfWord(word: string, line: number): number {
		const { dimensions } = this.#vectors;
		const row = stopWords.has(word) ? NO_ROW : this.#vectors.rowOf(stem(word));
		if (row === NO_ROW) return 0;
		return this.#vectors.product(row, this.#rows.subarray(line * dimensions, (line + 1) * dimensions));
	}

	/** Every slot has the same weight, for any number of alternatives. */
	#sumUp({ stems, lineOf, patterns, leading }: ConceptList): void {
		const { dimensions } = this.#vectors;
		const rowOf = Int32Array.from(stems.keys(), (root) => this.#vectors.rowOf(root));
		const weightOf = Float64Array.from(stems.keys(), (root) => this.#weightOf(root));
		for (let pattern = 0; pattern < lineOf.length; pattern++) {
			const start = (lineOf[pattern] ?? 0) * dimensions;
			const end = patterns.starts[pattern + 1] ?? 0;
			for (let place = patterns.starts[pattern] ?? 0; place < end; place++) {
				const slot = patterns.values[place] ?? 0;
				const first = leading.starts[slot] ?? 0;
				const last = leading.starts[slot + 1] ?? 0;
				for (let at = first; at < last; at++) {
					const root = leading.values[at] ?? 0;
					const row = rowOf[root] ?? NO_ROW;
					const weight = (1 / (last - first)) * (weightOf[root] ?? 0);
					if (row !== NO_ROW) this.#vectors.addTo(this.#rows, start, row, weight);
				}
			}
		}
	}

	#add(sum: Float32Array, root: string): void {
		const row = this.#vectors.rowOf(root);
		if (row !== NO_ROW) this.#vectors.addTo(sum, 0, row, this.#weightOf(root));
	}

	#weightOf(root: string): number {
		return this.#index.rarityOf(root) ** RARITY_POWER;
	}
}
