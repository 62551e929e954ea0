/*
 * The ranker: an inverted index over documents with weighted fields.
 *
 * BM25F: the weight of a word in a document is the sum over its fields, computed
 * when the document is added, against a typical field length instead of the average
 * of the collection, so that adding or removing a document never changes another. A
 * query scans one posting list per word and keeps the best documents; only those are
 * read again for phrases and reasons. With word vectors, cosine similarity adds to
 * the score; with concepts, expansion terms do.
 */
import type { Concepts } from '../concepts/concepts.ts';
import type { Synonyms } from '../concepts/synonyms.ts';
import type { SearchDocument, SearchField, SearchHit, SearchOptions, SearchResult } from '../document.ts';
import { DocumentVectors, type ReadDocument, type VectorQuery } from '../vectors/document-vectors.ts';
import type { WordVectors } from '../vectors/word-vectors.ts';
import { type KnownTerm, knownTerms } from './expansion-terms.ts';
import { explain, type PhraseMatch, phrasesIn, type SimilarForm, toPoints } from './explain.ts';
import { FieldWeights } from './field-weights.ts';
import { Lexicon } from './lexicon.ts';
import { PendingPostings } from './pending-postings.ts';
import { type QueryWord, readQuery } from './query.ts';
import { RareTitles } from './rare-titles.ts';
import { Scores } from './scores.ts';
import { similarPairs } from './similar-words.ts';
import { TopSlots } from './top-slots.ts';
import { WordRow } from './word-row.ts';

/** Words of one document beyond these are not indexed. */
export const DOCUMENT_WORD_LIMIT = 50_000;
/** Documents that are rescored for phrases, at least. */
const SECOND_LOOK = 100;
/** Weight of two adjacent words, as a share of the weight of the words. */
const PHRASE_SHARE = 0.35;
/** Share of cosine similarity in the score, where vectors are loaded. */
const SIMILARITY_SHARE = 0.45;
/** Default of `similarityFloor`. */
const SIMILARITY_FLOOR = 0.2;
/** Least similarity of a document that is found by similarity alone; others need a word of the query. */
const ALONE_LEAST_SIMILARITY = 0.1;
/** Score of all expansion terms, and the least that finds a document by them alone. */
const TERM_SHARES = { most: 0.5, least: 0.05 };
export interface IndexedDocument {
	id: string;
	/** Numbers of postings in reading order; 0 ends an item. */
	row: Uint32Array;
	/** Where each field starts in the row, and the end. */
	starts: number[];
}

/** How similarity of meaning is measured in this collection. */
export interface SimilarityOptions {
	/** Cosine similarity that counts as 0: that of most pairs of documents. Default 0.2, for texts of one trade. */
	readonly similarityFloor?: number | undefined;
	/** Above this weight of a word its vector counts little more. Default 1.2: all words alike. Higher: words of weighty fields count more. */
	readonly vectorSaturation?: number | undefined;
}

/** A query, analyzed. */
interface ReadQuery {
	words: readonly QueryWord[];
	terms: readonly KnownTerm[];
	vectorQuery: VectorQuery | undefined;
	/** Cosine similarity of the document at each slot. */
	similarities: Float64Array | undefined;
}

interface Ranked {
	document: IndexedDocument;
	phrases: PhraseMatch[];
	/** From 0 to about 1. */
	exact: number;
}

export class SearchIndex {
	readonly fieldNames: readonly string[];
	readonly #fields: readonly SearchField[];
	/** Weight of the weightiest field. */
	readonly #strongest: number;
	/** The weightiest field: it names the document. */
	readonly #titleField: number;
	readonly #lexicon = new Lexicon();
	readonly #filing = new PendingPostings(this.#lexicon);
	readonly #slots = new Map<string, number>();
	readonly #documents: Array<IndexedDocument | undefined> = [];
	readonly #freeSlots: number[] = [];
	readonly #row = new WordRow();
	readonly #weights: FieldWeights;
	readonly #scores = new Scores();
	readonly #similarityFloor: number;
	readonly #vectorSaturation: number | undefined;
	#documentVectors: DocumentVectors | undefined;
	#concepts: Concepts | undefined;
	#synonyms: Synonyms | undefined;

	/**
	 * @param fields at most 30, the names as documents use them
	 */
	constructor(fields: Readonly<Record<string, SearchField>>, options: SimilarityOptions = {}) {
		this.#similarityFloor = options.similarityFloor ?? SIMILARITY_FLOOR;
		this.#vectorSaturation = options.vectorSaturation;
		this.fieldNames = Object.keys(fields);
		this.#fields = Object.values(fields);
		this.#strongest = Math.max(...this.#fields.map(({ weight }) => weight));
		this.#titleField = this.#fields.findIndex(({ weight }) => weight === this.#strongest);
		this.#weights = new FieldWeights(this.#fields);
	}

	get size(): number {
		return this.#slots.size;
	}

	/** True for a word of the collection, in any form of the same stem. */
	knows(word: string): boolean {
		return this.#lexicon.find(word) !== undefined;
	}

	/** Put a document in, in place of one with the same id. */
	add(document: SearchDocument): void {
		this.remove(document.id);
		const reused = this.#freeSlots.pop();
		const slot = reused ?? this.#documents.length;
		const starts: number[] = [];
		const row = this.#row;
		row.clear();
		for (const name of this.fieldNames) {
			starts.push(row.length);
			this.#readField(document.fields[name], row);
		}
		starts.push(row.length);
		const file = (number: number, weight: number) => this.#filing.add(number, slot, weight);
		this.#weights.weigh({ numbers: row.numbers, starts }, this.#lexicon.highestNumber, file);
		// A document that came in place of another may well be replaced again.
		const kept = reused === undefined ? row.keep() : row.copy();
		this.#documents[slot] = { id: document.id, row: kept, starts };
		this.#slots.set(document.id, slot);
		this.#documentVectors?.forget(slot);
	}

	/** Take a document out; unknown ids are fine. */
	remove(id: string): void {
		const slot = this.#slots.get(id);
		if (slot === undefined) return;
		this.#filing.settle();
		for (const number of new Set(this.#documents[slot]?.row)) {
			const posting = this.#lexicon.byNumber(number);
			posting?.remove(slot);
			if (posting?.count === 0) this.#lexicon.drop(posting);
		}
		this.#documents[slot] = undefined;
		this.#slots.delete(id);
		this.#freeSlots.push(slot);
		this.#documentVectors?.forget(slot);
	}

	/** Match synonyms as well from now on. */
	useSynonyms(synonyms: Synonyms): void {
		this.#synonyms = synonyms;
	}

	/** Add cosine similarity to the score from now on. */
	useVectors(vectors: WordVectors): void {
		this.#documentVectors = new DocumentVectors(vectors, this.#lexicon, {
			slots: this.#slots.values(),
			saturation: this.#vectorSaturation,
		});
	}

	/** Expand queries with the terms of concepts from now on. */
	useConcepts(concepts: Concepts): void {
		this.#concepts = concepts;
	}

	/**
	 * Work out ahead what the next search would have to, for at most so long. True when nothing is left.
	 * Searching without it is as right, and takes long once after many documents have come.
	 */
	prepare(ms: number): boolean {
		const endsAt = performance.now() + ms;
		const isTime = () => performance.now() >= endsAt;
		return this.#filing.settle(isTime) && this.#refresh(isTime);
	}

	search(query: string, { limit = 10, minScore = 0, accept }: SearchOptions = {}): SearchResult {
		this.#filing.settle();
		const asked = this.#read(query);
		this.#score(asked);
		const { touched } = this.#scores;
		const top = new TopSlots(Math.max(limit, SECOND_LOOK), (a, b) => this.#idOf(a) < this.#idOf(b));
		const titles = new RareTitles(asked.words, this.size, this.#titleField);
		let total = 0;
		for (let at = 0; at < touched.length; at++) {
			const slot = touched[at] ?? 0;
			if (accept && !accept(this.#idOf(slot))) continue;
			total++;
			top.offer(slot, this.#scores.of(slot));
		}
		const looked = new Set(top.entries().map(({ slot }) => slot));
		// However low their score is: they may be lifted.
		for (const slot of titles.slots((at) => this.#documents[at])) {
			if (!accept || accept(this.#idOf(slot))) looked.add(slot);
		}
		const ranked = titles.sort(this.#secondLook(looked, asked.words)).slice(0, limit);
		const hits = ranked.map((one) => this.#explain(one, asked)).filter(({ score }) => score >= minScore);
		return { hits, total };
	}

	#readField(content: string | readonly string[] | undefined, row: WordRow): void {
		for (const text of typeof content === 'string' ? [content] : (content ?? [])) {
			this.#lexicon.read(text, row, DOCUMENT_WORD_LIMIT);
			row.push(0);
		}
	}

	#idOf(slot: number): string {
		return this.#documents[slot]?.id ?? '';
	}

	#read(query: string): ReadQuery {
		const words = readQuery(query, { lexicon: this.#lexicon, synonyms: this.#synonyms }, this.size);
		const terms = knownTerms(this.#concepts, this.#lexicon, { query, size: this.size });
		const vectorQuery = this.#documentVectors?.toVector(words, this.size, terms);
		if (vectorQuery) this.#refresh();
		const similarities =
			vectorQuery && this.#documentVectors?.similarities(vectorQuery, this.#documents.length);
		return { words, terms, vectorQuery, similarities };
	}

	#refresh(isTime?: () => boolean): boolean {
		const read: ReadDocument = (slot, take) => this.#reread(slot, take);
		return this.#documentVectors?.refresh(this.#documents.length, read, isTime) ?? true;
	}

	#score({ words, terms, similarities }: ReadQuery): void {
		this.#scores.fill(words, this.#documents.length, similarities ? 1 - SIMILARITY_SHARE : 1);
		if (similarities) this.#addSimilarity(similarities);
		this.#scores.addTerms(terms, TERM_SHARES);
	}

	/** Slots without a document have no similarity. */
	#addSimilarity(similarities: Float64Array): void {
		for (let slot = 0; slot < similarities.length; slot++) {
			const similarity = aboveFloor(similarities[slot] ?? 0, this.#similarityFloor);
			const isFound = similarity >= ALONE_LEAST_SIMILARITY || (similarity > 0 && this.#scores.of(slot) > 0);
			if (isFound) this.#scores.add(slot, SIMILARITY_SHARE * similarity);
		}
	}

	#explain({ document, phrases, exact }: Ranked, asked: ReadQuery): SearchHit {
		const { words, terms } = asked;
		const near = this.#nearForms(document, asked);
		const slot = this.#slots.get(document.id) ?? 0;
		const partOf = (match: QueryWord | PhraseMatch): number =>
			'text' in match ? this.#scores.partOf(match, slot) : this.#scores.share(this.#worthOf([match]));
		const why = explain({ document, words, phrases, terms, near, fieldNames: this.fieldNames, partOf });
		return { id: document.id, score: Math.min(100, toPoints(exact)), why };
	}

	#nearForms({ id, row }: IndexedDocument, { vectorQuery, similarities }: ReadQuery): SimilarForm[] {
		const similarity = similarities?.[this.#slots.get(id) ?? 0] ?? 0;
		if (!this.#documentVectors || !vectorQuery || aboveFloor(similarity, this.#similarityFloor) === 0)
			return [];
		const pairs = similarPairs(this.#documentVectors, vectorQuery, row);
		return pairs.map((pair) => ({ ...pair, form: this.#lexicon.byNumber(pair.number)?.plainForm ?? '' }));
	}

	#reread(slot: number, take: (number: number, weight: number) => void): void {
		const document = this.#documents[slot];
		if (!document) return;
		const { row: numbers, starts } = document;
		this.#weights.weigh({ numbers, starts }, this.#lexicon.highestNumber, take);
	}

	/** Phrases count as well. */
	#secondLook(slots: Iterable<number>, words: readonly QueryWord[]): Ranked[] {
		const found: Ranked[] = [];
		for (const slot of slots) {
			const document = this.#documents[slot];
			if (!document) continue;
			const phrases = phrasesIn(document, words);
			const exact = this.#scores.of(slot) + this.#scores.share(this.#worthOf(phrases));
			found.push({ document, phrases, exact });
		}
		return found;
	}

	#worthOf(phrases: readonly PhraseMatch[]): number {
		let sum = 0;
		for (const { rarity, field } of phrases) {
			const weight = (this.#fields[field]?.weight ?? 0) / this.#strongest;
			sum += PHRASE_SHARE * rarity * (0.5 + 0.5 * weight);
		}
		return sum;
	}
}

/** Similarity above the floor, scaled to 0 … 1. */
function aboveFloor(similarity: number, floor: number): number {
	return Math.max(0, (similarity - floor) / (1 - floor));
}
