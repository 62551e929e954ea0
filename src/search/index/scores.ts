/*
 * The scores of one query, a number a document. The columns are kept from query
 * to query: asking makes no garbage that grows with the collection.
 */
import type { Posting } from './posting.ts';
import type { Alternative, QueryWord } from './query.ts';

/** How fast the weight of a word in a document stops to count. */
const SATURATION = 1.2;
/** What holding all the words is worth beside holding them often. */
const COVERAGE_SHARE = 0.6;

/** A term that a question may mean, as the collection has it. */
export interface KnownTerm {
	posting: Posting;
	form: string;
	rarity: number;
	/** From 0 to 1: how sure it is. */
	weight: number;
	/** The words of the question that lead to it. */
	text: string;
}

export interface TermShares {
	/** What holding all the terms is worth. */
	most: number;
	/** What finds a document by terms alone. */
	least: number;
}

export class Scores {
	#scores = new Float64Array(0);
	#word = new Float64Array(0);
	#covered = new Float64Array(0);
	#unit = 0;
	/** Slots that have any score, as many as `#count`. */
	#touched = new Uint32Array(0);
	#count = 0;
	/** Slots that the word under way was met in. */
	#mine = new Uint32Array(0);

	/** Slots that have any score, in no particular order; until the next `fill`. */
	get touched(): Uint32Array {
		return this.#touched.subarray(0, this.#count);
	}

	/** From 0 to about 1. */
	of(slot: number): number {
		return this.#scores[slot] ?? 0;
	}

	/** A worth, measured as rarity, as a part of the score. */
	share(worth: number): number {
		return worth * this.#unit;
	}

	/** Score all documents for these words, at most about `most`. */
	fill(words: readonly QueryWord[], slots: number, most = 1): void {
		this.#clear(slots);
		const worthOfAll = words.reduce((sum, word) => sum + word.rarity, 0);
		this.#unit = worthOfAll === 0 ? 0 : most / (worthOfAll * (SATURATION + 1));
		for (const word of words) this.#scoreWord(word);
		for (let at = 0; at < this.#count; at++) {
			const slot = this.#touched[at] ?? 0;
			const covered = (this.#covered[slot] ?? 0) / worthOfAll;
			this.#scores[slot] = this.share(this.of(slot)) * (1 - COVERAGE_SHARE + COVERAGE_SHARE * covered);
		}
	}

	/** Add to the score of a document, which is one of `touched` from then on. */
	add(slot: number, score: number): void {
		const held = this.#scores[slot] ?? 0;
		if (held === 0) this.#touched[this.#count++] = slot;
		this.#scores[slot] = held + score;
	}

	/**
	 * Add what documents hold of the terms that a question may mean, up to `most`. Documents that nothing
	 * else speaks for are found by terms alone when it comes to `least`.
	 */
	addTerms(terms: readonly KnownTerm[], { most, least }: TermShares): void {
		let count = 0;
		for (const term of terms) count = this.#scoreTerm(term, count);
		const worthOfAll = terms.reduce((sum, { rarity, weight }) => sum + rarity * weight, 0);
		const sureness = Math.max(0, ...terms.map(({ weight }) => weight));
		for (let at = 0; at < count; at++) {
			const slot = this.#mine[at] ?? 0;
			const score = (most * sureness * (this.#word[slot] ?? 0)) / worthOfAll;
			this.#word[slot] = 0;
			if (this.of(slot) > 0 || score >= least) this.add(slot, score);
		}
	}

	/** Gives how many slots are in `#mine` after it, `known` of them from terms before. */
	#scoreTerm({ posting: { entries, end }, rarity, weight: sureness }: KnownTerm, known: number): number {
		const mine = this.#mine;
		const scores = this.#word;
		let count = known;
		for (let at = 0; at < end; at += 2) {
			const slot = entries[at] ?? 0;
			const weight = entries[at + 1] ?? 0;
			const held = scores[slot] ?? 0;
			if (held === 0) mine[count++] = slot;
			scores[slot] = held + (rarity * sureness * weight) / (weight + SATURATION);
		}
		return count;
	}

	/** A word counts once a document, by the best of what it can stand for. */
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

	/** Gives how many slots are in `#mine` after it, `known` of them from alternatives before. */
	#scoreAlternative({ posting: { entries, end }, factor, rarity }: Alternative, known: number): number {
		const mine = this.#mine;
		const scores = this.#word;
		let count = known;
		for (let at = 0; at < end; at += 2) {
			const slot = entries[at] ?? 0;
			const weight = entries[at + 1] ?? 0;
			const score = factor * rarity * ((weight * (SATURATION + 1)) / (weight + SATURATION));
			const held = scores[slot] ?? 0;
			if (held === 0) mine[count++] = slot;
			if (score > held) scores[slot] = score;
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
