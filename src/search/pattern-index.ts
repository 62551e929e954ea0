/*
 * Which patterns of a list of concepts a question meets, and how far. Words that
 * many lines use say little, so a slot weighs the more the rarer its words are.
 * One word that is met out of several is chance; from two on it may be meant.
 *
 * The columns, one number a pattern or a slot, are kept from question to question
 * and empty again after each.
 */
import type { ConceptLine, Slot } from './concept-list.ts';

/** How many slots of a pattern must be met, unless it has fewer. */
const LEAST_MET = 2;

export interface PatternMatch {
	/** Weight of the slots that are met, as a part of the weight of all. */
	share: number;
	slots: readonly Slot[];
}

interface Pattern {
	line: number;
	slots: readonly Slot[];
	weight: number;
}

interface Place {
	pattern: number;
	weight: number;
}

export class PatternIndex {
	readonly #lines: number;
	/** In how many lines a stem is. */
	readonly #counts = new Map<string, number>();
	readonly #patterns: Pattern[] = [];
	/** Where each slot is, by its number. */
	readonly #places: Place[] = [];
	readonly #slotsByStem = new Map<string, number[]>();
	readonly #weights: Float64Array;
	readonly #met: Uint8Array;
	readonly #isFilled: Uint8Array;
	/** The last word of the question that filled a slot, counted from 1. */
	readonly #lastWord: Uint32Array;

	constructor(lines: readonly ConceptLine[]) {
		this.#lines = lines.length;
		for (const line of lines) this.#count(line);
		const weights = new Map<Slot, number>();
		for (const [line, { patterns }] of lines.entries()) {
			for (const slots of patterns) this.#add(line, slots, weights);
		}
		this.#weights = new Float64Array(this.#patterns.length);
		this.#met = new Uint8Array(this.#patterns.length);
		this.#lastWord = new Uint32Array(this.#patterns.length);
		this.#isFilled = new Uint8Array(this.#places.length);
	}

	/** How telling a stem is among the lines. */
	rarityOf(root: string): number {
		return this.#rarity(this.#countOf(root));
	}

	/** The best match of each line that is met at all. */
	match(stems: ReadonlySet<string>): Map<number, PatternMatch> {
		const filled: number[] = [];
		let word = 0;
		for (const root of stems) this.#fill(root, ++word, filled);
		const best = new Map<number, PatternMatch>();
		for (const slot of filled) {
			this.#isFilled[slot] = 0;
			this.#take(this.#places[slot]?.pattern ?? 0, best);
		}
		return best;
	}

	/** A slot is filled once, and a word fills one slot of a pattern. */
	#fill(root: string, word: number, filled: number[]): void {
		for (const slot of this.#slotsByStem.get(root) ?? []) {
			const { pattern, weight } = this.#places[slot] ?? { pattern: 0, weight: 0 };
			if (this.#isFilled[slot] === 1 || this.#lastWord[pattern] === word) continue;
			this.#isFilled[slot] = 1;
			this.#lastWord[pattern] = word;
			this.#weights[pattern] = (this.#weights[pattern] ?? 0) + weight;
			this.#met[pattern] = (this.#met[pattern] ?? 0) + 1;
			filled.push(slot);
		}
	}

	/** Note how far a pattern is met and forget it. */
	#take(number: number, best: Map<number, PatternMatch>): void {
		const pattern = this.#patterns[number];
		const met = this.#met[number] ?? 0;
		if (!pattern || met === 0) return;
		const share = (this.#weights[number] ?? 0) / pattern.weight;
		const isMet = met >= Math.min(LEAST_MET, pattern.slots.length);
		if (isMet && share > (best.get(pattern.line)?.share ?? 0)) {
			best.set(pattern.line, { share, slots: pattern.slots });
		}
		this.#met[number] = 0;
		this.#weights[number] = 0;
		this.#lastWord[number] = 0;
	}

	#count({ patterns }: ConceptLine): void {
		const roots = new Set<string>();
		for (const { stems } of new Set(patterns.flat())) for (const root of stems) roots.add(root);
		for (const root of roots) this.#counts.set(root, this.#countOf(root) + 1);
	}

	#add(line: number, slots: readonly Slot[], weights: Map<Slot, number>): void {
		const pattern = { line, slots, weight: 0 };
		const number = this.#patterns.push(pattern) - 1;
		for (const one of slots) {
			const { stems } = one;
			const weight = weights.get(one) ?? this.#weightOf(stems);
			weights.set(one, weight);
			const slot = this.#places.push({ pattern: number, weight }) - 1;
			pattern.weight += weight;
			for (const root of stems) {
				const known = this.#slotsByStem.get(root);
				if (known) known.push(slot);
				else this.#slotsByStem.set(root, [slot]);
			}
		}
	}

	/** A slot that many words fill tells less, though not as little as all their lines together. */
	#weightOf(roots: readonly string[]): number {
		let count = 0;
		for (const root of roots) count += this.#countOf(root);
		return this.#rarity(count / Math.sqrt(roots.length));
	}

	#rarity(count: number): number {
		return Math.log(1 + this.#lines / (1 + count));
	}

	#countOf(root: string): number {
		return this.#counts.get(root) ?? 0;
	}
}
