/*
 * Which patterns of a list of concepts a question meets, and how far. Words that
 * many lines use say little, so a slot weighs the more the rarer its words are.
 * One word that is met out of several is chance; from two on it may be meant.
 */
import type { ConceptLine } from './concept-list.ts';
import { stem } from './stem.ts';

/** How many words of a pattern must be met, unless it has fewer. */
const LEAST_MET = 2;

export interface PatternMatch {
	/** Weight of the slots that are met, as a part of the weight of all. */
	share: number;
	/** Stems of the question that fill them. */
	stems: string[];
}

interface Pattern {
	line: number;
	slots: number;
	weight: number;
}

interface Slot {
	pattern: number;
	weight: number;
}

interface Progress {
	weight: number;
	stems: string[];
}

export class PatternIndex {
	readonly #lines: number;
	/** In how many lines a stem is. */
	readonly #counts = new Map<string, number>();
	readonly #patterns: Pattern[] = [];
	readonly #slots: Slot[] = [];
	readonly #slotsByStem = new Map<string, number[]>();

	constructor(lines: readonly ConceptLine[]) {
		this.#lines = lines.length;
		for (const { patterns } of lines) {
			for (const root of stemsOf(patterns.flat(2))) this.#counts.set(root, this.#countOf(root) + 1);
		}
		for (const [line, { patterns }] of lines.entries()) {
			for (const slots of patterns) this.#add(line, slots);
		}
	}

	/** How telling a stem is among the lines. */
	rarityOf(root: string): number {
		return this.#rarity(this.#countOf(root));
	}

	/** The best match of each line that is met at all. */
	match(stems: ReadonlySet<string>): Map<number, PatternMatch> {
		const best = new Map<number, PatternMatch>();
		for (const [at, { weight, stems: met }] of this.#progress(stems)) {
			const pattern = this.#patterns[at];
			if (!pattern || met.length < Math.min(LEAST_MET, pattern.slots)) continue;
			const share = weight / pattern.weight;
			if (share > (best.get(pattern.line)?.share ?? 0)) best.set(pattern.line, { share, stems: met });
		}
		return best;
	}

	/** A slot is filled once, and a stem fills one slot of a pattern. */
	#progress(stems: ReadonlySet<string>): Map<number, Progress> {
		const found = new Map<number, Progress>();
		const filled = new Set<number>();
		for (const root of stems) {
			for (const slot of this.#slotsByStem.get(root) ?? []) {
				const { pattern, weight } = this.#slots[slot] ?? { pattern: 0, weight: 0 };
				const so = found.get(pattern);
				if (filled.has(slot) || so?.stems.at(-1) === root) continue;
				filled.add(slot);
				if (!so) found.set(pattern, { weight, stems: [root] });
				else {
					so.weight += weight;
					so.stems.push(root);
				}
			}
		}
		return found;
	}

	#add(line: number, slots: readonly string[][]): void {
		const pattern = { line, slots: slots.length, weight: 0 };
		const number = this.#patterns.push(pattern) - 1;
		for (const words of slots) {
			const roots = stemsOf(words);
			const weight = this.#weightOf(roots);
			const slot = this.#slots.push({ pattern: number, weight }) - 1;
			pattern.weight += weight;
			for (const root of roots) {
				const known = this.#slotsByStem.get(root);
				if (known) known.push(slot);
				else this.#slotsByStem.set(root, [slot]);
			}
		}
	}

	/** A slot that many words fill tells less, though not as little as all their lines together. */
	#weightOf(roots: ReadonlySet<string>): number {
		let count = 0;
		for (const root of roots) count += this.#countOf(root);
		return this.#rarity(count / Math.sqrt(roots.size));
	}

	#rarity(count: number): number {
		return Math.log(1 + this.#lines / (1 + count));
	}

	#countOf(root: string): number {
		return this.#counts.get(root) ?? 0;
	}
}

function stemsOf(words: readonly string[]): Set<string> {
	return new Set(words.map((word) => stem(word)));
}
