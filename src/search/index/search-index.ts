/*
 * The ranker: an inverted index over documents with weighted fields.
 *
 * BM25F: the weight of a word in a document is the sum over its fields, computed
 * when the document is added, against a typical field length instead of the average
 * of the collection, so that adding or removing a document never changes another. A
 * query scans one posting list per word and retains the best documents; only those are
 * read again for names, phrases and reasons. `fusion.ts` makes one score of the signals;
 * what one of them ranks first is never lost to the others.
 */
import type { Concepts } from '../concepts/concepts.ts';
import type { Synonyms } from '../concepts/synonyms.ts';
import type { Translations } from '../concepts/translations.ts';
import type {
	MatchReason,
	Ranking,
	RankOptions,
	SearchDocument,
	SearchField,
	SearchOptions,
	SearchResult,
} from '../document.ts';
import { DOCUMENT_WORD_LIMIT } from '../search-limits.ts';
import { withoutLiterals } from '../text/literals.ts';
import { wordsOf } from '../text/words.ts';
import { DocumentVectors, type ReadDocument, type VectorQuery } from '../vectors/document-vectors.ts';
import type { WordVectors } from '../vectors/word-vectors.ts';
import { type KnownTerm, knownTerms } from './expansion-terms.ts';
import { explain, type PhraseMatch, phrasesIn, type SimilarForm, toPoints } from './explain.ts';
import { FieldWeights } from './field-weights.ts';
import {
	fuseName,
	type NameSignals,
	partOfPhrase,
	partOfWords,
	type SignalWeights,
	weightsFor,
} from './fusion.ts';
import { Lexicon } from './lexicon.ts';
import { nearnessOf } from './nearness.ts';
import { PendingPostings } from './pending-postings.ts';
import { type QueryWord, rarityOf, readQuery } from './query.ts';
import { RareTitles } from './rare-titles.ts';
import { Scores } from './scores.ts';
import { similarPairs } from './similar-words.ts';
import { TopSlots } from './top-slots.ts';
import { type WordPlaces, WordRow } from './word-row.ts';

/** Documents that are rescored for phrases, at least. */
const SECOND_LOOK = 100;
/** Weight of two adjacent words, as a share of the weight of the words. */
const PHRASE_SHARE = 0.5;
/** Default of `similarityFloor`. */
const SIMILARITY_FLOOR = 0.2;
/** Least similarity above the floor of a document that is found by similarity alone; others need a word of the query. */
const ALONE_LEAST_SIMILARITY = 0.1;
/** Least score of the expansion terms that finds a document by them alone. */
const ALONE_LEAST_TERMS = 0.06;
/** Least nearness by the model of the caller that finds a document by it alone. */
const ALONE_LEAST_NEARNESS = 0.6;
/** The best documents by the words as they are written that are among the first `SHOWN` whatever the guesses say. */
const LITERAL_FIRST = 2;
/** They hold at least this part of what the query says. */
const LITERAL_LEAST = 0.55;
const SHOWN = 5;

interface IndexedDocument extends WordPlaces {
	readonly id: string;
	readonly group: string | undefined;
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
	/** Cosine similarity of the document at each slot; empty without vectors. */
	similarities: Float64Array;
	/** The same by the model of the caller, from 0 to 1; empty without one. */
	nearness: Float64Array;
	weights: SignalWeights;
}

interface Ranked {
	document: IndexedDocument;
	slot: number;
	/** The rarity of a name that the query says whole; else 0. */
	named: number;
	/** A score from 0 to about 1. */
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
	/** The fields that say what a document is about. */
	readonly #meaningWeights: FieldWeights;
	readonly #scores = new Scores();
	readonly #literal = new Scores();
	readonly #terms = new Scores();
	readonly #similarityFloor: number;
	readonly #vectorSaturation: number | undefined;
	#noSignal = new Float64Array(0);
	#documentVectors: DocumentVectors | undefined;
	#concepts: Concepts | undefined;
	#synonyms: Synonyms | undefined;
	#translations: Translations | undefined;

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
		this.#meaningWeights = new FieldWeights(
			this.#fields.map((field) => (field.isOutsideMeaning ? { ...field, weight: 0 } : field)),
		);
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
		this.#weights.weigh({ row: row.numbers, starts }, this.#lexicon.highestNumber, file);
		// A document that came in place of another may well be replaced again.
		const stored = reused === undefined ? row.store() : row.copy();
		this.#documents[slot] = { id: document.id, row: stored, starts, group: document.group };
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

	/** Match words of other languages as well from now on. */
	useTranslations(translations: Translations): void {
		this.#translations = translations;
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

	search(query: string, { minScore = 0, ...options }: SearchOptions = {}): SearchResult {
		const { ranked, total, explain: reasonsOf } = this.rank(query, options);
		const shown = ranked.filter(({ score }) => score >= minScore);
		return { hits: shown.map((hit) => ({ ...hit, why: reasonsOf(hit.id) })), total };
	}

	/** The same without reasons, which take longer than all else for many hits. `explain` is valid until the next search. */
	rank(query: string, { limit = 10, accept, nearness }: RankOptions = {}): Ranking {
		this.#filing.settle();
		const knows = (word: string): boolean => this.knows(word);
		const english = this.#translations?.toEnglish(query, knows) ?? query;
		const parsedQuery = this.#read(withoutLiterals(english, knows), nearness);
		const accepts = accept && ((slot: number): boolean => accept(this.#idOf(slot)));
		const { top, literal, total } = this.#candidates(parsedQuery, Math.max(limit, SECOND_LOOK), accepts);
		const titles = new RareTitles(parsedQuery.words, this.size, this.#titleField);
		const looked = new Map(top.map(({ slot, score }) => [slot, score]));
		// However low their score is: they may be lifted.
		for (const slot of titles.slots((at) => this.#documents[at]))
			if (!accepts || accepts(slot)) looked.set(slot, looked.get(slot) ?? this.#fused(slot, parsedQuery));
		for (const slot of literal) looked.set(slot, looked.get(slot) ?? this.#fused(slot, parsedQuery));
		const sorted = titles.sort(this.#secondLook(looked, parsedQuery, query));
		const first = [...literal, ...namedIn(sorted)];
		const ranked = withFirst(sorted, first)
			.slice(0, limit)
			.map(({ document, exact }) => ({ id: document.id, score: Math.min(100, toPoints(exact)) }));
		const named = new Set(first.map((slot) => this.#idOf(slot)));
		return { ranked, named, total, explain: (id) => this.#explain(id, parsedQuery) };
	}

	/** The best documents by all signals, and the best by the words as they are written. */
	#candidates(
		parsedQuery: ReadQuery,
		limit: number,
		accepts: ((slot: number) => boolean) | undefined,
	): { top: Array<{ slot: number; score: number }>; literal: number[]; total: number } {
		const isBefore = (a: number, b: number): boolean => this.#idOf(a) < this.#idOf(b);
		const top = new TopSlots(limit, isBefore);
		const literal = new TopSlots(LITERAL_FIRST, isBefore);
		const leastSimilarity = this.#similarityFloor + ALONE_LEAST_SIMILARITY * (1 - this.#similarityFloor);
		const { similarities, nearness, weights } = parsedQuery;
		const [scores, written, terms] = [this.#scores.values, this.#literal.values, this.#terms.values];
		let total = 0;
		for (let slot = 0; slot < this.#documents.length; slot++) {
			const words = scores[slot] ?? 0;
			const guessed = terms[slot] ?? 0;
			const near = nearness[slot] ?? 0;
			const similarity = similarities[slot] ?? 0;
			// By a word of the query, or by a guess that is good enough. Slots without a document have no signal.
			const isFound =
				words > 0 ||
				similarity >= leastSimilarity ||
				guessed >= ALONE_LEAST_TERMS ||
				near >= ALONE_LEAST_NEARNESS;
			if (!isFound || this.#documents[slot] === undefined || (accepts && !accepts(slot))) continue;
			total++;
			const literally = written[slot] ?? 0;
			const meant =
				weights.meaning * Math.max(0, similarity) + weights.terms * guessed + weights.nearness * near;
			top.add(slot, weights.words * words + weights.literal * literally + meant);
			if (literally >= LITERAL_LEAST) literal.add(slot, literally);
		}
		const first = literal.entries().sort((a, b) => b.score - a.score || (isBefore(a.slot, b.slot) ? -1 : 1));
		return { top: top.entries(), literal: first.map(({ slot }) => slot), total };
	}

	#fused(slot: number, { similarities, nearness, weights }: ReadQuery): number {
		return (
			weights.words * this.#scores.of(slot) +
			weights.literal * this.#literal.of(slot) +
			weights.meaning * Math.max(0, similarities[slot] ?? 0) +
			weights.terms * this.#terms.of(slot) +
			weights.nearness * (nearness[slot] ?? 0)
		);
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

	#read(query: string, near?: ReadonlyMap<string, number>): ReadQuery {
		const [synonyms, translations] = [this.#synonyms, this.#translations];
		const words = readQuery(query, { lexicon: this.#lexicon, synonyms, translations }, this.size);
		const terms = knownTerms(this.#concepts, this.#lexicon, { query, size: this.size });
		const vectorQuery = this.#documentVectors?.toVector(words, this.size, terms);
		if (vectorQuery) this.#refresh();
		const similarities =
			(vectorQuery && this.#documentVectors?.similarities(vectorQuery, this.#documents.length)) ??
			this.#zeros();
		this.#score(words, terms);
		const weights = weightsFor({ meaning: highestOf(similarities), terms: this.#terms.highest });
		const nearness = near ? nearnessOf(near, similarities, (id) => this.#slots.get(id)) : this.#zeros();
		return { words, terms, vectorQuery, similarities, nearness, weights };
	}

	/** A signal that no document has: reads beyond the end of an array are slow. */
	#zeros(): Float64Array {
		const { length } = this.#documents;
		if (this.#noSignal.length < length) this.#noSignal = new Float64Array(2 * length);
		return this.#noSignal;
	}

	#refresh(isTime?: () => boolean): boolean {
		const read: ReadDocument = (slot, take) => this.#reread(slot, take);
		return this.#documentVectors?.refresh(this.#documents.length, read, isTime) ?? true;
	}

	#score(words: readonly QueryWord[], terms: readonly KnownTerm[]): void {
		const slots = this.#documents.length;
		this.#scores.fill(words, slots);
		this.#literal.fill(words.map(asWritten), slots);
		this.#terms.fillTerms(terms, slots);
	}

	#explain(id: string, parsedQuery: ReadQuery): MatchReason[] {
		const slot = this.#slots.get(id) ?? -1;
		const document = this.#documents[slot];
		if (!document) return [];
		const { words, terms } = parsedQuery;
		const phrases = phrasesIn(document, words);
		const near = this.#nearForms(document, parsedQuery);
		const partOf = (match: QueryWord | PhraseMatch): number =>
			'text' in match
				? partOfWords(this.#scores.partOf(match, slot))
				: partOfPhrase(this.#scores.share(this.#worthOf([match])));
		return explain({ document, words, phrases, terms, near, fieldNames: this.fieldNames, partOf });
	}

	#nearForms({ id, row }: IndexedDocument, { vectorQuery, similarities }: ReadQuery): SimilarForm[] {
		const similarity = similarities[this.#slots.get(id) ?? 0] ?? 0;
		if (!this.#documentVectors || !vectorQuery || aboveFloor(similarity, this.#similarityFloor) === 0)
			return [];
		const pairs = similarPairs(this.#documentVectors, vectorQuery, row);
		return pairs.map((pair) => ({ ...pair, form: this.#lexicon.byNumber(pair.number)?.plainForm ?? '' }));
	}

	#reread(slot: number, take: (number: number, weight: number) => void): void {
		const document = this.#documents[slot];
		if (document) this.#meaningWeights.weigh(document, this.#lexicon.highestNumber, take);
	}

	/** The name, phrases and the group count as well. */
	#secondLook(slots: ReadonlyMap<number, number>, { words }: ReadQuery, query: string): Ranked[] {
		const groups = this.#groupsOf(slots.keys(), query);
		const found: Ranked[] = [];
		for (const [slot, score] of slots) {
			const document = this.#documents[slot];
			if (!document) continue;
			const phrases = phrasesIn(document, words);
			const { share: nameInQuery, named } = this.#nameInQuery(document, words);
			const exact =
				score +
				fuseName({
					nameInQuery,
					...groups(document),
					phrases: this.#scores.share(this.#worthOf(phrases)),
				});
			found.push({ document, slot, exact, named });
		}
		return found;
	}

	/** How much of the name of a document is in the query, by rarity, from 0 to 1; and how rare a name is that is in it whole. */
	#nameInQuery(
		{ row, starts }: IndexedDocument,
		words: readonly QueryWord[],
	): { share: number; named: number } {
		const name = row.subarray(starts[this.#titleField] ?? 0, starts[this.#titleField + 1] ?? 0);
		let all = 0;
		let matched = 0;
		for (const number of new Set(name)) {
			const posting = this.#lexicon.byNumber(number);
			if (!posting) continue;
			const rarity = rarityOf(posting.count, this.size);
			all += rarity;
			matched += rarity * bestFactor(words, number);
		}
		return { share: all === 0 ? 0 : matched / all, named: matched === all ? all : 0 };
	}

	/** Whether the query names the group of a document, and how well the best document of the group fits. */
	#groupsOf(slots: Iterable<number>, query: string): (document: IndexedDocument) => GroupPart {
		const best = new Map<string, number>();
		let most = 0;
		for (const slot of slots) {
			const group = this.#documents[slot]?.group;
			const score = this.#scores.of(slot);
			if (group === undefined) continue;
			best.set(group, Math.max(best.get(group) ?? 0, score));
			most = Math.max(most, score);
		}
		const said = new Set(wordsOf(query.toLowerCase()));
		return ({ group = '' }) => ({
			groupNamed: group !== '' && said.has(group.toLowerCase()) ? 1 : 0,
			groupFits: most === 0 ? 0 : (best.get(group) ?? 0) / most,
		});
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

type GroupPart = Pick<NameSignals, 'groupNamed' | 'groupFits'>;

/** The document with the rarest name of those that the query says whole. */
function namedIn(ranked: readonly Ranked[]): number[] {
	const rarest = ranked.reduce((most, { named }) => Math.max(most, named), 0);
	const first = rarest > 0 ? ranked.find(({ named }) => named === rarest) : undefined;
	return first ? [first.slot] : [];
}

/** The first by words as they are written are moved up to the last shown places, unless they are shown. */
function withFirst(ranked: readonly Ranked[], first: readonly number[]): Ranked[] {
	const shown = ranked.slice(0, SHOWN);
	const missing = ranked.filter(({ slot }, at) => at >= SHOWN && first.includes(slot));
	if (missing.length === 0) return [...ranked];
	const placed = shown.filter(({ slot }) => first.includes(slot));
	const room = SHOWN - missing.length;
	const others = shown.filter(({ slot }) => !first.includes(slot));
	const before = new Set([...placed, ...others.slice(0, room - placed.length)]);
	const head = [...shown.filter((one) => before.has(one)), ...missing];
	const rest = ranked.filter((one) => !head.includes(one));
	// Scores fall with the places: what is moved up has that of the place.
	const least = rest[0]?.exact ?? 0;
	return [...head.map((one) => ({ ...one, exact: Math.max(one.exact, least) })), ...rest];
}

/** A word of the query without synonyms, typos and prefixes. */
function asWritten(word: QueryWord): QueryWord {
	return { ...word, alternatives: word.alternatives.filter(({ kind }) => kind === 'word') };
}

/** How well a word of a name is matched by the best word of a query. */
function bestFactor(words: readonly QueryWord[], number: number): number {
	let best = 0;
	for (const { alternatives } of words)
		for (const { posting, factor } of alternatives)
			if (posting.number === number && factor > best) best = factor;
	return best;
}

function highestOf(values: Float64Array): number {
	let highest = 0;
	for (let at = 0; at < values.length; at++) highest = Math.max(highest, values[at] ?? 0);
	return highest;
}

/** Similarity above the floor, scaled to 0 … 1. */
function aboveFloor(similarity: number, floor: number): number {
	return Math.max(0, (similarity - floor) / (1 - floor));
}
