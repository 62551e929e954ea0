/*
 * The ranker: documents with weighted fields, found by their words.
 *
 * BM25 over the sum of all fields: what a word weighs in a document is worked
 * out when the document is added, against a typical field length instead of the
 * average of the collection, so that adding or removing one document never
 * changes another. A query walks one column per word, keeps the best few, and
 * only those are looked at again for phrases and for the reasons.
 */
import type { SearchDocument, SearchField, SearchHit, SearchOptions, SearchResult } from './document.ts';
import { explain, type PhraseMatch, phrasesIn } from './explain.ts';
import { Filing } from './filing.ts';
import { Lexicon } from './lexicon.ts';
import { type QueryWord, readQuery } from './query.ts';
import { SATURATION, Scores } from './scores.ts';
import { TopSlots } from './top-slots.ts';
import { WordRow } from './word-row.ts';

/** Words of one document beyond these are not indexed. */
export const DOCUMENT_WORD_LIMIT = 50_000;
/** How many of the best are looked at again for phrases, at least. */
const SECOND_LOOK = 100;
/** How fast repetition in one field stops to count. */
const FIELD_SATURATION = 1;
/** How much of the length of a field is held against it: 0 nothing, 1 all. */
const LENGTH_SHARE = 0.5;
/** Worth of two words side by side, as a share of the worth of the words. */
const PHRASE_SHARE = 0.35;

export interface IndexedDocument {
	id: string;
	/** Numbers of postings in reading order; 0 ends an item. */
	row: Uint32Array;
	/** Where each field starts in the row, and the end. */
	starts: number[];
}

export class SearchIndex {
	readonly fieldNames: readonly string[];
	readonly #fields: readonly SearchField[];
	readonly #lexicon = new Lexicon();
	readonly #filing = new Filing(this.#lexicon);
	readonly #slots = new Map<string, number>();
	readonly #documents: Array<IndexedDocument | undefined> = [];
	readonly #freeSlots: number[] = [];
	readonly #row = new WordRow();
	/** Weight by number of posting, of the document that is being added. */
	#weights = new Float64Array(1024);
	/** Occurrences by number of posting, in the field that is being added. */
	#counts = new Float64Array(1024);
	readonly #scores = new Scores();

	/** @param fields at most 30, the names as documents use them */
	constructor(fields: Readonly<Record<string, SearchField>>) {
		this.fieldNames = Object.keys(fields);
		this.#fields = Object.values(fields);
	}

	get size(): number {
		return this.#slots.size;
	}

	/** Put a document in, in place of one with the same id. */
	add(document: SearchDocument): void {
		this.remove(document.id);
		const slot = this.#freeSlots.pop() ?? this.#documents.length;
		const starts: number[] = [];
		const row = this.#row;
		row.clear();
		this.fieldNames.forEach((name, index) => {
			starts.push(row.length);
			this.#readField(document.fields[name], row);
			this.#makeRoom();
			this.#weighField(index, row, starts[index] ?? 0);
		});
		starts.push(row.length);
		this.#file(slot, row);
		this.#documents[slot] = { id: document.id, row: row.copy(), starts };
		this.#slots.set(document.id, slot);
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
	}

	search(query: string, { limit = 10, minScore = 0, accept }: SearchOptions = {}): SearchResult {
		this.#filing.settle();
		const words = readQuery(query, this.#lexicon, this.size);
		const ideal = words.reduce((sum, word) => sum + word.rarity, 0) * (SATURATION + 1);
		if (ideal === 0) return { hits: [], total: 0 };
		const touched = this.#scores.fill(words, this.#documents.length);
		const top = new TopSlots(Math.max(limit, SECOND_LOOK), (a, b) => this.#idOf(a) < this.#idOf(b));
		let total = 0;
		for (const slot of touched) {
			if (accept && !accept(this.#idOf(slot))) continue;
			total++;
			top.offer(slot, this.#scores.of(slot));
		}
		const hits = this.#secondLook(top, words, ideal).filter(({ score }) => score >= minScore);
		return { hits: hits.slice(0, limit), total };
	}

	#readField(content: string | readonly string[] | undefined, row: WordRow): void {
		for (const text of typeof content === 'string' ? [content] : (content ?? [])) {
			this.#lexicon.read(text, row, DOCUMENT_WORD_LIMIT);
			row.push(0);
		}
	}

	/**
	 * Add up what each word weighs, in columns that are empty again when the
	 * document is filed. Repetition counts less and less within each field, so a
	 * long text that says a word a hundred times stays behind a title that says it.
	 */
	#weighField(index: number, row: WordRow, start: number): void {
		const { weight = 1, typicalWords = 1 } = this.#fields[index] ?? {};
		const one = 1 / (1 - LENGTH_SHARE + (LENGTH_SHARE * (row.length - start)) / typicalWords);
		const weights = this.#weights;
		const counts = this.#counts;
		const { numbers } = row;
		for (let at = start; at < row.length; at++) {
			const number = numbers[at] ?? 0;
			counts[number] = (counts[number] ?? 0) + one;
		}
		for (let at = start; at < row.length; at++) {
			const number = numbers[at] ?? 0;
			const count = counts[number] ?? 0;
			if (count === 0) continue;
			counts[number] = 0;
			weights[number] =
				(weights[number] ?? 0) + (weight * count * (FIELD_SATURATION + 1)) / (count + FIELD_SATURATION);
		}
	}

	#makeRoom(): void {
		const wanted = this.#lexicon.highestNumber + 1;
		if (wanted <= this.#weights.length) return;
		const grown = new Float64Array(2 * wanted);
		grown.set(this.#weights);
		this.#weights = grown;
		this.#counts = new Float64Array(2 * wanted);
	}

	#file(slot: number, row: WordRow): void {
		const weights = this.#weights;
		weights[0] = 0;
		for (let at = 0; at < row.length; at++) {
			const number = row.numbers[at] ?? 0;
			const weight = weights[number] ?? 0;
			if (weight === 0) continue;
			weights[number] = 0;
			this.#filing.add(number, slot, weight);
		}
	}

	#idOf(slot: number): string {
		return this.#documents[slot]?.id ?? '';
	}

	#secondLook(top: TopSlots, words: readonly QueryWord[], ideal: number): SearchHit[] {
		const found = top.entries().flatMap(({ slot, score }) => {
			const document = this.#documents[slot];
			if (!document) return [];
			const phrases = phrasesIn(document, words);
			const exact = score + this.#worthOf(phrases);
			return [{ document, phrases, exact }];
		});
		found.sort((a, b) => b.exact - a.exact || (a.document.id < b.document.id ? -1 : 1));
		return found.map(({ document, phrases, exact }) => ({
			id: document.id,
			score: Math.min(100, Math.round((1000 * exact) / ideal) / 10),
			why: explain({ document, words, phrases, fieldNames: this.fieldNames }),
		}));
	}

	#worthOf(phrases: readonly PhraseMatch[]): number {
		const strongest = Math.max(...this.#fields.map(({ weight }) => weight));
		return phrases.reduce((sum, { rarity, field }) => {
			const weight = (this.#fields[field]?.weight ?? 0) / strongest;
			return sum + PHRASE_SHARE * rarity * (0.5 + 0.5 * weight);
		}, 0);
	}
}
