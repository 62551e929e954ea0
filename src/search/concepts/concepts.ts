/*
 * Query expansion. The list of concepts is searched first, like a small library: by
 * the words of its patterns and by cosine similarity. The terms of the nearest lines
 * are pooled; a term of several lines gets a higher weight.
 */

import { PatternIndex, type PatternMatch } from '../index/pattern-index.ts';
import { TopSlots } from '../index/top-slots.ts';
import { EXPANSION_TERM_LIMIT, POOLED_LINE_LIMIT, REASON_WORD_LIMIT } from '../search-limits.ts';
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import type { WordVectors } from '../vectors/word-vectors.ts';
import { type ConceptList, readConceptList } from './concept-list.ts';
import { ConceptVectors } from './concept-vectors.ts';

/** Weight of a whole pattern match, beside a cosine similarity of 1. */
const PATTERN_SHARE = 0.56;
/** Many lines reach this score for any query. */
const NEARNESS_FLOOR = 0.25;

export interface ExpansionTerm {
	/** The term as the list has it. */
	form: string;
	/** Confidence, from 0 to 1. */
	weight: number;
	/** The words of the query that lead to it. */
	text: string;
}

export class Concepts {
	/** The terms of each line. */
	readonly #terms: ReadonlyArray<readonly string[]>;
	readonly #index: PatternIndex;
	readonly #vectors: ConceptVectors | undefined;

	/** Throws `bad_input` for a text that is not a list of concepts. Without vectors only words are matched. */
	constructor(text: string | ConceptList, vectors?: WordVectors) {
		const list = typeof text === 'string' ? readConceptList(text) : text;
		this.#terms = list.terms;
		this.#index = new PatternIndex(list);
		this.#vectors = vectors && new ConceptVectors(vectors, this.#index, list);
	}

	/** How many lines the list has. */
	get size(): number {
		return this.#terms.length;
	}

	/** The terms that these words of a query lead to, the most confident first. */
	expand(words: readonly string[]): ExpansionTerm[] {
		const significant = new Set(words.filter((word) => !stopWords.has(word)).map((word) => stem(word)));
		const all = new Set([...significant, ...words.map((word) => stem(word))]);
		const matches = this.#index.match(all, significant.size);
		const pool = new Map<string, ExpansionTerm>();
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
		return mostConfident([...pool.values()], lines[0]?.score ?? 0);
	}

	/** The best lines, the best first. */
	#nearest(
		words: readonly string[],
		matches: ReadonlyMap<number, PatternMatch>,
	): Array<{ slot: number; score: number }> {
		const vectorQuery = this.#vectors?.toVector(words);
		const similarities = vectorQuery && this.#vectors?.similarities(vectorQuery);
		const top = new TopSlots(POOLED_LINE_LIMIT, (a, b) => a < b);
		for (let line = 0; line < this.#terms.length; line++) {
			const similarity = Math.max(0, similarities?.[line] ?? 0);
			const nearness = similarity + PATTERN_SHARE * (matches.get(line)?.share ?? 0) - NEARNESS_FLOOR;
			if (nearness > 0) top.add(line, Math.min(1, nearness));
		}
		return top.entries().sort((a, b) => b.score - a.score || a.slot - b.slot);
	}

	/** The words of the query that the pattern has, or the most similar ones. */
	#textOf(line: number, words: readonly string[], match: PatternMatch | undefined): string {
		if (match) return words.filter((word) => this.#index.isIn(match.pattern, stem(word))).join(' ');
		const similarity = new Map(words.map((word) => [word, this.#vectors?.similarityOfWord(word, line) ?? 0]));
		const near = [...similarity].filter(([, value]) => value > 0);
		const nearest = near.sort((a, b) => b[1] - a[1]).slice(0, REASON_WORD_LIMIT);
		return words.filter((word) => nearest.some(([near]) => near === word)).join(' ');
	}
}

/** The heaviest terms, scaled so that the first has the score of the best line. */
function mostConfident(terms: ExpansionTerm[], confidence: number): ExpansionTerm[] {
	const remaining = terms.sort((a, b) => b.weight - a.weight).slice(0, EXPANSION_TERM_LIMIT);
	const most = remaining[0]?.weight ?? 1;
	return remaining.map((term) => ({ ...term, weight: (confidence * term.weight) / most }));
}
