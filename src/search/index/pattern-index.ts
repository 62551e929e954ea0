/*
 * Matches a query against the patterns of a list of concepts, with a score. The weight
 * of a slot is higher the rarer its words are. One matching word of several may be
 * chance; a partial match needs two.
 *
 * The columns (one number per pattern or position) are reused by the next query and
 * cleared after each.
 */
import type { ConceptList } from '../concepts/concept-list.ts';
import { PatternPositions } from './pattern-positions.ts';

/** How many slots of a pattern must be met, unless it has fewer. */
const LEAST_MET = 2;

export interface PatternMatch {
	/** Weight of the slots that are met, as a part of the weight of all. */
	share: number;
	pattern: number;
}

export class PatternIndex {
	readonly #list: ConceptList;
	readonly #positions: PatternPositions;
	/** The weight of each slot. */
	readonly #slotWeights: Float64Array;
	/** The weight of all slots of each pattern. */
	readonly #fullWeights: Float64Array;
	/** The weight of the slots of each pattern that are met. */
	readonly #weights: Float64Array;
	readonly #met: Uint8Array;
	readonly #isFilled: Uint8Array;
	/** The last word of the query that filled a slot, counted from 1. */
	readonly #lastWord: Uint32Array;

	constructor(list: ConceptList) {
		const { count, values } = list.patterns;
		this.#list = list;
		this.#positions = new PatternPositions(list);
		this.#slotWeights = new Float64Array(list.slots.count);
		this.#fullWeights = new Float64Array(count);
		this.#weights = new Float64Array(count);
		this.#met = new Uint8Array(count);
		this.#lastWord = new Uint32Array(count);
		this.#isFilled = new Uint8Array(values.length);
		this.#weigh();
	}

	/** How significant a stem is among the lines. */
	rarityOf(root: string): number {
		const number = this.#list.stems.get(root);
		return this.#rarity(number === undefined ? 0 : this.#countOf(number));
	}

	/**
	 * The best match of each line that is met at all. The significant words of the query come first in `stems`, as
	 * many as `significant`; a pattern that only the others fill is not met.
	 */
	match(stems: ReadonlySet<string>, significant: number = stems.size): Map<number, PatternMatch> {
		const filled: number[] = [];
		let word = 0;
		for (const root of stems) {
			// Words without a subject only add to what a significant word began.
			this.#fill(root, ++word, filled, word > significant);
		}
		const best = new Map<number, PatternMatch>();
		for (const position of filled) {
			this.#isFilled[position] = 0;
			this.#take(this.#positions.patternAt[position] ?? 0, best);
		}
		return best;
	}

	/** True when a stem fills a slot of the pattern. */
	isIn(pattern: number, root: string): boolean {
		const number = this.#list.stems.get(root);
		if (number === undefined) return false;
		return this.#list.patterns.row(pattern).some((slot) => this.#list.slots.row(slot).includes(number));
	}

	/** A slot is filled once, and a word fills one slot of a pattern. */
	#fill(root: string, word: number, filled: number[], isSecondary: boolean): void {
		const number = this.#list.stems.get(root);
		if (number === undefined) return;
		const { patternAt } = this.#positions;
		const slotAt = this.#list.patterns.values;
		for (const position of this.#positions.positionsOf(number)) {
			const pattern = patternAt[position] ?? 0;
			if (this.#isFilled[position] === 1 || this.#lastWord[pattern] === word) continue;
			if (isSecondary && this.#met[pattern] === 0) continue;
			this.#isFilled[position] = 1;
			this.#lastWord[pattern] = word;
			this.#weights[pattern] =
				(this.#weights[pattern] ?? 0) + (this.#slotWeights[slotAt[position] ?? 0] ?? 0);
			this.#met[pattern] = (this.#met[pattern] ?? 0) + 1;
			filled.push(position);
		}
	}

	/** Note how far a pattern is met and forget it. */
	#take(pattern: number, best: Map<number, PatternMatch>): void {
		const met = this.#met[pattern] ?? 0;
		if (met === 0) return;
		const { patterns, lineOf } = this.#list;
		const share = (this.#weights[pattern] ?? 0) / (this.#fullWeights[pattern] ?? 1);
		const isMet = met >= Math.min(LEAST_MET, patterns.row(pattern).length);
		const line = lineOf[pattern] ?? 0;
		if (isMet && share > (best.get(line)?.share ?? 0)) best.set(line, { share, pattern });
		this.#met[pattern] = 0;
		this.#weights[pattern] = 0;
		this.#lastWord[pattern] = 0;
	}

	#weigh(): void {
		const { slots, patterns } = this.#list;
		for (let slot = 0; slot < slots.count; slot++) this.#slotWeights[slot] = this.#weightOf(slot);
		for (let position = 0; position < patterns.values.length; position++) {
			const pattern = this.#positions.patternAt[position] ?? 0;
			const weight = this.#slotWeights[patterns.values[position] ?? 0] ?? 0;
			this.#fullWeights[pattern] = (this.#fullWeights[pattern] ?? 0) + weight;
		}
	}

	/** A slot with many alternatives weighs less, but not as little as all their lines together. */
	#weightOf(slot: number): number {
		const { starts, values } = this.#list.slots;
		const start = starts[slot] ?? 0;
		const end = starts[slot + 1] ?? 0;
		let count = 0;
		for (let at = start; at < end; at++) count += this.#countOf(values[at] ?? 0);
		return this.#rarity(count / Math.sqrt(end - start));
	}

	#rarity(count: number): number {
		return Math.log(1 + this.#list.terms.length / (1 + count));
	}

	#countOf(root: number): number {
		return this.#positions.lineCounts[root] ?? 0;
	}
}
