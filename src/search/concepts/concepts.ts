/*
 * What is meant by a question, in terms of the trade. The list of concepts is
 * searched first, as if it were a small library: by the words of its patterns and
 * by their meaning. The terms of the lines that come nearest are pooled; a term
 * that several lines agree on counts more. It is a guess, and weighted as one.
 */

import { PatternIndex, type PatternMatch } from '../index/pattern-index.ts';
import { TopSlots } from '../index/top-slots.ts';
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import type { WordVectors } from '../vectors/word-vectors.ts';
import { readConceptList } from './concept-list.ts';
import { ConceptVectors } from './concept-vectors.ts';

/** How many lines are pooled. */
const LINE_LIMIT = 8;
/** How many terms come out of it. */
const TERM_LIMIT = 12;
/** What meeting a whole pattern counts beside being the same in meaning. */
const PATTERN_SHARE = 0.5;
/** Many lines are as near to any question as this. */
const NEARNESS_FLOOR = 0.25;
/** How many words are told of a question that is near to a line in meaning alone. */
const TOLD_WORDS = 2;

export interface MeantTerm {
	/** The term as the list has it. */
	form: string;
	/** From 0 to 1: how sure it is. */
	weight: number;
	/** The words of the question that lead to it. */
	text: string;
}

export class Concepts {
	/** The terms of each line. */
	readonly #terms: ReadonlyArray<readonly string[]>;
	readonly #index: PatternIndex;
	readonly #vectors: ConceptVectors | undefined;

	/** Throws `bad_input` for a text that is no list of concepts. Without vectors words have to do. */
	constructor(text: string, vectors?: WordVectors) {
		const list = readConceptList(text);
		this.#terms = list.terms;
		this.#index = new PatternIndex(list);
		this.#vectors = vectors && new ConceptVectors(vectors, this.#index, list);
	}

	/** How many lines the list has. */
	get size(): number {
		return this.#terms.length;
	}

	/** The terms that these words of a question may stand for, the surest first. */
	meantBy(words: readonly string[]): MeantTerm[] {
		const telling = new Set(words.filter((word) => !stopWords.has(word)).map((word) => stem(word)));
		const all = new Set([...telling, ...words.map((word) => stem(word))]);
		const matches = this.#index.match(all, telling.size);
		const pool = new Map<string, MeantTerm>();
		const lines = this.#nearest(words, matches);
		for (const { slot: line, score } of lines) {
			const text = this.#textOf(line, words, matches.get(line));
			for (const form of new Set(this.#terms[line])) {
				const key = stem(form);
				const known = pool.get(key);
				if (known) known.weight += score ** 2;
				else pool.set(key, { form, weight: score ** 2, text });
			}
		}
		return surest([...pool.values()], lines[0]?.score ?? 0);
	}

	/** The best lines, the best first. */
	#nearest(
		words: readonly string[],
		matches: ReadonlyMap<number, PatternMatch>,
	): Array<{ slot: number; score: number }> {
		const question = this.#vectors?.ask(words);
		const likenesses = question && this.#vectors?.likenesses(question);
		const top = new TopSlots(LINE_LIMIT, (a, b) => a < b);
		for (let line = 0; line < this.#terms.length; line++) {
			const likeness = Math.max(0, likenesses?.[line] ?? 0);
			const nearness = likeness + PATTERN_SHARE * (matches.get(line)?.share ?? 0) - NEARNESS_FLOOR;
			if (nearness > 0) top.offer(line, Math.min(1, nearness));
		}
		return top.entries().sort((a, b) => b.score - a.score || a.slot - b.slot);
	}

	/** The words that a pattern has, or those that come nearest. */
	#textOf(line: number, words: readonly string[], match: PatternMatch | undefined): string {
		if (match) return words.filter((word) => this.#index.isIn(match.pattern, stem(word))).join(' ');
		const likeness = new Map(words.map((word) => [word, this.#vectors?.likenessOfWord(word, line) ?? 0]));
		const near = [...likeness].filter(([, value]) => value > 0);
		const nearest = near.sort((a, b) => b[1] - a[1]).slice(0, TOLD_WORDS);
		return words.filter((word) => nearest.some(([told]) => told === word)).join(' ');
	}
}

/** The heaviest terms, the first of them as sure as the best line. */
function surest(terms: MeantTerm[], sureness: number): MeantTerm[] {
	const kept = terms.sort((a, b) => b.weight - a.weight).slice(0, TERM_LIMIT);
	const most = kept[0]?.weight ?? 1;
	return kept.map((term) => ({ ...term, weight: (sureness * term.weight) / most }));
}
