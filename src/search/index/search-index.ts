/*
 * The ranker: documents with weighted fields, found by their words.
 *
 * BM25 over the sum of all fields: what a word weighs in a document is worked
 * out when the document is added, against a typical field length instead of the
 * average of the collection, so that adding or removing one document never
 * changes another. A query walks one column per word, keeps the best few, and
 * only those are looked at again for phrases and for the reasons. Where vectors
 * of words are known, nearness in meaning adds to the score of each document; and
 * where concepts are known, the terms that a question may mean without saying them.
 */
import type { Concepts } from '../concepts/concepts.ts';
import { Meaning, type Question, type ReadDocument } from '../concepts/meaning.ts';
import type { Synonyms } from '../concepts/synonyms.ts';
import type { SearchDocument, SearchField, SearchHit, SearchOptions, SearchResult } from '../document.ts';
import { wordsOf } from '../text/words.ts';
import type { WordVectors } from '../vectors/word-vectors.ts';
import { explain, type NearForm, type PhraseMatch, phrasesIn } from './explain.ts';
import { FieldWeights } from './field-weights.ts';
import { Filing } from './filing.ts';
import { Lexicon } from './lexicon.ts';
import { nearPairs } from './near-words.ts';
import { QUESTION_WORD_LIMIT, type QueryWord, rarityOf, readQuery } from './query.ts';
import { RareTitles } from './rare-titles.ts';
import { type KnownTerm, Scores } from './scores.ts';
import { TopSlots } from './top-slots.ts';
import { WordRow } from './word-row.ts';

/** Words of one document beyond these are not indexed. */
export const DOCUMENT_WORD_LIMIT = 50_000;
/** How many of the best are looked at again for phrases, at least. */
const SECOND_LOOK = 100;
/** Worth of two words side by side, as a share of the worth of the words. */
const PHRASE_SHARE = 0.35;
/** What being near in meaning is worth beside holding the words, where vectors are known. */
const MEANING_SHARE = 0.45;
/** Documents less alike than this are not near in meaning: most pairs of texts of one trade reach it. */
const LIKENESS_FLOOR = 0.2;
/** Nearness of a document that is found by its meaning alone, at least; others need a word of the question. */
const ALONE_LEAST_NEARNESS = 0.1;
/** What holding the terms that a question may mean adds, and what finds a document by them alone. */
const TERM_SHARES = { most: 0.5, least: 0.05 };
/** In a large collection, terms that a larger part of the documents holds tell little and take long. */
const TERM_MOST_SHARE = 0.25;
/** A guess counts in full when the collection knows this part of its terms; with fewer the question is likely about something else. */
const KNOWN_TERMS_SHARE = 0.5;
/** Terms in so few documents cost nothing. */
const TERM_FREE_DOCUMENTS = 1000;

export interface IndexedDocument {
	id: string;
	/** Numbers of postings in reading order; 0 ends an item. */
	row: Uint32Array;
	/** Where each field starts in the row, and the end. */
	starts: number[];
}

/** What a question asks for. */
interface Asked {
	words: readonly QueryWord[];
	terms: readonly KnownTerm[];
	question: Question | undefined;
	/** How near the document at each slot is to the question. */
	likenesses: Float64Array | undefined;
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
	readonly #filing = new Filing(this.#lexicon);
	readonly #slots = new Map<string, number>();
	readonly #documents: Array<IndexedDocument | undefined> = [];
	readonly #freeSlots: number[] = [];
	readonly #row = new WordRow();
	readonly #weights: FieldWeights;
	readonly #scores = new Scores();
	#meaning: Meaning | undefined;
	#concepts: Concepts | undefined;
	#synonyms: Synonyms | undefined;

	/** @param fields at most 30, the names as documents use them */
	constructor(fields: Readonly<Record<string, SearchField>>) {
		this.fieldNames = Object.keys(fields);
		this.#fields = Object.values(fields);
		this.#strongest = Math.max(...this.#fields.map(({ weight }) => weight));
		this.#titleField = this.#fields.findIndex(({ weight }) => weight === this.#strongest);
		this.#weights = new FieldWeights(this.#fields);
	}

	get size(): number {
		return this.#slots.size;
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
		this.#meaning?.forget(slot);
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
		this.#meaning?.forget(slot);
	}

	/** Match synonyms as well from now on. */
	useSynonyms(synonyms: Synonyms): void {
		this.#synonyms = synonyms;
	}

	/** Add cosine similarity to the score from now on. */
	useVectors(vectors: WordVectors): void {
		this.#meaning = new Meaning(vectors, this.#lexicon, this.#slots.values());
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

	#read(query: string): Asked {
		const words = readQuery(query, { lexicon: this.#lexicon, synonyms: this.#synonyms }, this.size);
		const terms = this.#termsIn(query);
		const question = this.#meaning?.ask(words, this.size, terms);
		if (question) this.#refresh();
		const likenesses = question && this.#meaning?.likenesses(question, this.#documents.length);
		return { words, terms, question, likenesses };
	}

	/** Terms that may be meant and that the collection knows. */
	#termsIn(query: string): KnownTerm[] {
		const mostDocuments = Math.max(TERM_FREE_DOCUMENTS, TERM_MOST_SHARE * this.size);
		const meant = this.#concepts?.meantBy(wordsOf(query, QUESTION_WORD_LIMIT)) ?? [];
		const known = meant.flatMap((term): KnownTerm[] => {
			const posting = this.#lexicon.find(term.form);
			return posting ? [{ ...term, posting, rarity: rarityOf(posting.count, this.size) }] : [];
		});
		const sureness = Math.min(1, weightOf(known) / weightOf(meant) / KNOWN_TERMS_SHARE);
		return known
			.filter(({ posting }) => posting.count <= mostDocuments)
			.map((term) => ({ ...term, weight: term.weight * sureness }));
	}

	#refresh(isTime?: () => boolean): boolean {
		const read: ReadDocument = (slot, take) => this.#reread(slot, take);
		return this.#meaning?.refresh(this.#documents.length, read, isTime) ?? true;
	}

	#score({ words, terms, likenesses }: Asked): void {
		this.#scores.fill(words, this.#documents.length, likenesses ? 1 - MEANING_SHARE : 1);
		if (likenesses) this.#addMeaning(likenesses);
		this.#scores.addTerms(terms, TERM_SHARES);
	}

	/** Slots without a document are near to nothing. */
	#addMeaning(likenesses: Float64Array): void {
		for (let slot = 0; slot < likenesses.length; slot++) {
			const nearness = nearnessOf(likenesses[slot] ?? 0);
			const isFound = nearness >= ALONE_LEAST_NEARNESS || (nearness > 0 && this.#scores.of(slot) > 0);
			if (isFound) this.#scores.add(slot, MEANING_SHARE * nearness);
		}
	}

	#explain({ document, phrases, exact }: Ranked, asked: Asked): SearchHit {
		const { words, terms } = asked;
		const near = this.#nearForms(document, asked);
		return {
			id: document.id,
			score: Math.min(100, Math.round(1000 * exact) / 10),
			why: explain({ document, words, phrases, terms, near, fieldNames: this.fieldNames }),
		};
	}

	#nearForms({ id, row }: IndexedDocument, { question, likenesses }: Asked): NearForm[] {
		const likeness = likenesses?.[this.#slots.get(id) ?? 0] ?? 0;
		if (!this.#meaning || !question || nearnessOf(likeness) === 0) return [];
		const pairs = nearPairs(this.#meaning, question, row);
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

function weightOf(terms: readonly { weight: number }[]): number {
	return terms.reduce((sum, { weight }) => sum + weight, 0);
}

/** 0 for what is not near in meaning, up to 1. */
function nearnessOf(likeness: number): number {
	return Math.max(0, (likeness - LIKENESS_FLOOR) / (1 - LIKENESS_FLOOR));
}
