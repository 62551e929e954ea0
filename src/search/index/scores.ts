/*
 * The BM25 scores of one query, a number per document. The arrays are reused by the
 * next query: a search makes no garbage that grows with the collection.
 */
import type { KnownTerm } from './expansion-terms.ts';
import type { Alternative, QueryWord } from './query.ts';

/** Saturation of the term frequency, k1 of BM25. */
const SATURATION = 1.2;
/** Part of the score that depends on how many words of the query a document has. */
const COVERAGE_SHARE = 0.5;

export class Scores {
	#scores = new Float64Array(0);
	#word = new Float64Array(0);
	#covered = new Float64Array(0);
	#unit = 0;
	#worthOfAll = 0;
	#highest = 0;
	/** Slots that have any score, as many as `#count`. */
	#touched = new Uint32Array(0);
	#count = 0;
	/** Slots that have the current word. */
	#mine = new Uint32Array(0);

	/** The score of a slot, from 0 to about 1. */
	of(slot: number): number {
		return this.#scores[slot] ?? 0;
	}

	/** The score of each slot, until the next query. */
	get values(): Float64Array {
		return this.#scores;
	}

	/** A sum of IDF weights as a part of the score. */
	share(worth: number): number {
		return worth * this.#unit;
	}

	/** The part of the score of a document that a word of the query brings, from 0 to about 1. */
	partOf(word: QueryWord, slot: number): number {
		const scores = word.alternatives.map(({ posting, factor, rarity }) =>
			scoreOf(factor * rarity, posting.weightOf(slot)),
		);
		return this.share(Math.max(0, ...scores)) * this.#coverage(slot);
	}

	/** Score all documents for these words, at most about 1. */
	fill(words: readonly QueryWord[], slots: number): void {
		this.#clear(slots);
		const worthOfAll = words.reduce((sum, word) => sum + word.rarity, 0);
		this.#worthOfAll = worthOfAll;
		this.#unit = worthOfAll === 0 ? 0 : 1 / (worthOfAll * (SATURATION + 1));
		for (const word of words) this.#scoreWord(word);
		for (let at = 0; at < this.#count; at++) {
			const slot = this.#touched[at] ?? 0;
			this.#scores[slot] = this.share(this.of(slot)) * this.#coverage(slot);
		}
	}

	/** Score all documents for expansion terms, at most 1. */
	fillTerms(terms: readonly KnownTerm[], slots: number): void {
		this.#clear(slots);
		let count = 0;
		for (const term of terms) count = this.#scoreTerm(term, count);
		const worthOfAll = terms.reduce((sum, { rarity, weight }) => sum + rarity * weight, 0);
		const confidence = Math.max(0, ...terms.map(({ weight }) => weight));
		this.#highest = 0;
		for (let at = 0; at < count; at++) {
			const slot = this.#mine[at] ?? 0;
			const score = (confidence * (this.#word[slot] ?? 0)) / worthOfAll;
			this.#word[slot] = 0;
			this.#scores[slot] = score;
			if (score > this.#highest) this.#highest = score;
		}
	}

	/** The highest score of the terms. */
	get highest(): number {
		return this.#highest;
	}

	/** Returns the number of slots in `#mine`, `known` of them from earlier terms. */
	#scoreTerm({ posting: { entries, end }, rarity, weight: confidence }: KnownTerm, known: number): number {
		const mine = this.#mine;
		const scores = this.#word;
		let count = known;
		for (let at = 0; at < end; at += 2) {
			const slot = entries[at] ?? 0;
			const weight = entries[at + 1] ?? 0;
			const earlier = scores[slot] ?? 0;
			if (earlier === 0) mine[count++] = slot;
			scores[slot] = earlier + (rarity * confidence * weight) / (weight + SATURATION);
		}
		return count;
	}

	/** The factor for the words of the query that a document has. */
	#coverage(slot: number): number {
		const covered = (this.#covered[slot] ?? 0) / this.#worthOfAll;
		return 1 - COVERAGE_SHARE + COVERAGE_SHARE * covered;
	}

	/** A word counts once per document, by its best match. */
	#scoreWord(word: QueryWord): void {
		let count = 0;
		for (const alternative of word.alternatives) count = this.#scoreAlternative(alternative, count);
		for (let at = 0; at < count; at++) {
			const slot = this.#mine[at] ?? 0;
			const covered = this.#covered[slot] ?? 0;
			if (covered === 0) this.#touched[this.#count++] = slot;
			this.#scores[slot] = this.of(slot) + (this.#word[slot] ?? 0);
			this.#covered[slot] = covered + word.rarity;
			this.#word[slot] = 0;
		}
	}

	/** Returns the number of slots in `#mine`, `known` of them from earlier alternatives. */
	#scoreAlternative({ posting: { entries, end }, factor, rarity }: Alternative, known: number): number {
		const mine = this.#mine;
		const scores = this.#word;
		let count = known;
		for (let at = 0; at < end; at += 2) {
			const slot = entries[at] ?? 0;
			const weight = entries[at + 1] ?? 0;
			const score = scoreOf(factor * rarity, weight);
			const earlier = scores[slot] ?? 0;
			if (earlier === 0) mine[count++] = slot;
			if (score > earlier) scores[slot] = score;
		}
		return count;
	}

	#clear(slots: number): void {
		this.#count = 0;
		if (this.#scores.length < slots) {
			this.#scores = new Float64Array(slots);
			this.#word = new Float64Array(slots);
			this.#covered = new Float64Array(slots);
			this.#touched = new Uint32Array(slots);
			this.#mine = new Uint32Array(slots);
			return;
		}
		this.#scores.fill(0);
		this.#covered.fill(0);
	}
}

/** BM25 of one word. */
function scoreOf(worth: number, weight: number): number {
	return worth * ((weight * (SATURATION + 1)) / (weight + SATURATION));
}
