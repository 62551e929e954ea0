/*
 * Documents and queries as sums of word vectors, so that a query finds a document
 * that says the same in other words.
 *
 * The vector of a document depends on that document only, and is computed by the
 * first search after a change: a client that only reads pays nothing. Vectors have
 * length 1, so the dot product of two is their cosine similarity.
 */

import type { KnownTerm } from '../index/expansion-terms.ts';
import type { Lexicon } from '../index/lexicon.ts';
import type { PostingList } from '../index/posting-list.ts';
import { type QueryWord, rarityOf } from '../index/query.ts';
import { stem } from '../text/stem.ts';
import { multiply, toUnit } from '../vectors/vector.ts';
import { NO_ROW, type WordVectors } from '../vectors/word-vectors.ts';

/** Default saturation of the weight of a word in the vector of a document. */
const VECTOR_SATURATION = 1.2;
/** Exponent of the IDF of a word in the vector of a query: 0 ignores it, 1 takes all of it. */
const RARITY_POWER = 0.3;
/** Weight of an expansion term in the vector of a query, beside a word of the query. */
const TERM_SHARE = 0.29;

/** Calls `take` with each word of the document at `slot` once, with its weight. */
export type ReadDocument = (slot: number, take: (number: number, weight: number) => void) => void;

export interface VectorQueryWord {
	text: string;
	row: number;
}

export interface VectorQuery {
	words: VectorQueryWord[];
	vector: Float32Array;
	/** Cached similarity of words, by row: documents share most of theirs. */
	worths: Map<number, number>;
}

export interface VectorOptions {
	/** The slots of all documents that are there already. */
	readonly slots: Iterable<number>;
	readonly saturation?: number | undefined;
}

export class DocumentVectors {
	readonly vectors: WordVectors;
	readonly #lexicon: Lexicon;
	readonly #saturation: number;
	readonly #stale = new Set<number>();
	#rows = new Float32Array(0);
	#similarities = new Float64Array(0);

	constructor(
		vectors: WordVectors,
		lexicon: Lexicon,
		{ slots, saturation = VECTOR_SATURATION }: VectorOptions,
	) {
		this.vectors = vectors;
		this.#lexicon = lexicon;
		this.#saturation = saturation;
		for (const slot of slots) this.#stale.add(slot);
	}

	/** The document at `slot` changed or was removed. */
	forget(slot: number): void {
		this.#stale.add(slot);
	}

	/** Compute the vectors that changed, until `isTime` says to stop. True when nothing is left; `similarities` requires it. */
	refresh(slots: number, read: ReadDocument, isTime: () => boolean = () => false): boolean {
		this.#makeRoom(slots);
		for (const slot of this.#stale) {
			if (isTime()) return false;
			this.#sumUp(slot, read);
			this.#stale.delete(slot);
		}
		return true;
	}

	/** The vector of a query; undefined when the table has none of its words. */
	toVector(
		words: readonly QueryWord[],
		documents: number,
		terms: readonly KnownTerm[] = [],
	): VectorQuery | undefined {
		const vector = new Float32Array(this.vectors.dimensions);
		const known: VectorQueryWord[] = [];
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

	/** Cosine similarity of the document at each slot, from -1 to 1; valid until the next query. */
	similarities({ vector }: VectorQuery, slots: number): Float64Array {
		if (this.#similarities.length < slots) this.#similarities = new Float64Array(2 * slots);
		const found = this.#similarities.subarray(0, slots);
		multiply(vector, this.#rows, found);
		return found;
	}

	/** Similarity of the word of a row to the query. */
	worthOf({ vector, worths }: VectorQuery, row: number): number {
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
	#rowOf(posting: PostingList): number {
		posting.vectorRow ??= this.vectors.rowOf(posting.stem);
		return posting.vectorRow;
	}

	/** The word itself, or the word that it is a typo of. */
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
			if (row !== NO_ROW) this.vectors.addTo(this.#rows, start, row, weight / (weight + this.#saturation));
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
