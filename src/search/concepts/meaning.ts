/*
 * Documents and questions as sums of the vectors of their words, so that a
 * question finds the document that says the same in other words.
 *
 * A document's vector depends on nothing but the document, and is worked out
 * when something is searched for the first time after it changed: who only reads
 * pays nothing. Vectors have length 1, so the product of two is their likeness.
 */
import type { Lexicon } from '../index/lexicon.ts';
import type { Posting } from '../index/posting.ts';
import { type QueryWord, rarityOf } from '../index/query.ts';
import type { KnownTerm } from '../index/scores.ts';
import { stem } from '../text/stem.ts';
import { multiply, toUnit } from '../vectors/vector.ts';
import { NO_ROW, type WordVectors } from '../vectors/word-vectors.ts';

/** How fast the weight of a word in a document stops to count for its meaning. */
const MEANING_SATURATION = 1.2;
/** How much the rarity of a word of the question counts for its meaning: 0 nothing, 1 all. */
const RARITY_POWER = 0.5;
/** What a term that is only meant counts for the meaning, beside a word that is said. */
const TERM_SHARE = 0.3;

/** Gives each word of the document at `slot` once, with its weight. */
export type ReadDocument = (slot: number, take: (number: number, weight: number) => void) => void;

export interface QuestionWord {
	text: string;
	row: number;
}

export interface Question {
	words: QuestionWord[];
	vector: Float32Array;
	/** How near words were found to be so far, by their row: documents share most of theirs. */
	worths: Map<number, number>;
}

export class Meaning {
	readonly vectors: WordVectors;
	readonly #lexicon: Lexicon;
	readonly #stale = new Set<number>();
	#rows = new Float32Array(0);
	#likenesses = new Float64Array(0);

	/** @param slots of all documents that are there already */
	constructor(vectors: WordVectors, lexicon: Lexicon, slots: Iterable<number>) {
		this.vectors = vectors;
		this.#lexicon = lexicon;
		for (const slot of slots) this.#stale.add(slot);
	}

	/** The document at `slot` is another one now, or none. */
	forget(slot: number): void {
		this.#stale.add(slot);
	}

	/** Work out what changed, until `isTime` says to stop. True when nothing is left, as it must be before `likenesses`. */
	refresh(slots: number, read: ReadDocument, isTime: () => boolean = () => false): boolean {
		this.#makeRoom(slots);
		for (const slot of this.#stale) {
			if (isTime()) return false;
			this.#sumUp(slot, read);
			this.#stale.delete(slot);
		}
		return true;
	}

	/** The question as a vector; undefined when the table has none of its words. */
	ask(
		words: readonly QueryWord[],
		documents: number,
		terms: readonly KnownTerm[] = [],
	): Question | undefined {
		const vector = new Float32Array(this.vectors.dimensions);
		const known: QuestionWord[] = [];
		for (const word of words) {
			const row = this.#rowOfWord(word);
			if (row === NO_ROW) continue;
			const rarity = word.alternatives.length > 0 ? word.rarity : rarityOf(0, documents);
			known.push({ text: word.text, row });
			this.vectors.addTo(vector, 0, row, rarity ** RARITY_POWER);
		}
		for (const { posting, rarity, weight } of terms) {
			const row = this.#rowOf(posting);
			if (row !== NO_ROW) this.vectors.addTo(vector, 0, row, TERM_SHARE * weight * rarity ** RARITY_POWER);
		}
		return toUnit(vector, 0, vector.length) ? { words: known, vector, worths: new Map() } : undefined;
	}

	/** From -1 to 1: how near the document at each slot is to the question; until the next question. */
	likenesses({ vector }: Question, slots: number): Float64Array {
		if (this.#likenesses.length < slots) this.#likenesses = new Float64Array(2 * slots);
		const found = this.#likenesses.subarray(0, slots);
		multiply(vector, this.#rows, found);
		return found;
	}

	/** How much the word of a row brings a document nearer to the question. */
	worthOf({ vector, worths }: Question, row: number): number {
		let worth = worths.get(row);
		if (worth === undefined) worths.set(row, (worth = this.vectors.product(row, vector)));
		return worth;
	}

	/** The row of a word of the collection, by the number of its posting. */
	rowOfNumber(number: number): number {
		const posting = this.#lexicon.byNumber(number);
		return posting ? this.#rowOf(posting) : NO_ROW;
	}

	/** Looked up once. */
	#rowOf(posting: Posting): number {
		posting.vectorRow ??= this.vectors.rowOf(posting.stem);
		return posting.vectorRow;
	}

	/** A word in its own right, or what it was mistyped for. */
	#rowOfWord({ text, alternatives }: QueryWord): number {
		const own = this.vectors.rowOf(stem(text));
		const [best] = alternatives;
		return own === NO_ROW && best?.kind === 'typo' ? this.#rowOf(best.posting) : own;
	}

	#sumUp(slot: number, read: ReadDocument): void {
		const { dimensions } = this.vectors;
		const start = slot * dimensions;
		this.#rows.fill(0, start, start + dimensions);
		read(slot, (number, weight) => {
			const row = this.rowOfNumber(number);
			if (row !== NO_ROW) this.vectors.addTo(this.#rows, start, row, weight / (weight + MEANING_SATURATION));
		});
		toUnit(this.#rows, start, start + dimensions);
	}

	#makeRoom(slots: number): void {
		const wanted = slots * this.vectors.dimensions;
		if (wanted <= this.#rows.length) return;
		const grown = new Float32Array(this.#rows.length === 0 ? wanted : 2 * wanted);
		grown.set(this.#rows);
		this.#rows = grown;
	}
}
