/* What is put into the index, and what comes out of a search. */

export interface SearchField {
	/** The weight of one occurrence beside the other fields. */
	weight: number;
	/** How many words the field usually has; occurrences in much longer ones count less. */
	typicalWords: number;
	/** True for words that help to find a document and do not say what it is about: no part of its vector. */
	isOutsideMeaning?: boolean;
}

export interface SearchDocument {
	id: string;
	/** The group of the document, in one word that a query may say: the server of a tool. */
	group?: string;
	/** A list is indexed item by item: no phrase runs from one item into the next. */
	fields: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Why a document was found: one entry a word or phrase of the query. */
export interface MatchReason {
	/** The word as the query has it. */
	word: string;
	/** The word as the collection has it, when it is spelled differently there. */
	matched: string;
	kind: 'word' | 'related' | 'prefix' | 'typo' | 'phrase' | 'concept' | 'meaning' | 'usage';
	/** Names of fields, the weightiest first. */
	fields: string[];
	/** Its share of the score. Absent for `concept` and `meaning`, which add to it together, and for `usage`: it was used for a similar query. */
	points?: number;
}

export interface SearchHit {
	id: string;
	/** 0 to 100: how much of what the query asks for the document holds, in its words, its meaning and the terms that may be meant. */
	score: number;
	why: MatchReason[];
}

export interface SearchResult {
	/** Best first; equal scores in the order of their ids. */
	hits: SearchHit[];
	/** How many documents matched at all. */
	total: number;
}

/** A search without reasons. */
export interface Ranking {
	/** Best first; equal scores in the order of their ids. */
	ranked: Array<Omit<SearchHit, 'why'>>;
	/** The documents among the first five that the words of the query as they are written name: no guess may hide them. */
	named: ReadonlySet<string>;
	/** How many documents matched at all. */
	total: number;
	/** The reasons of one document, until the next search. */
	explain: (id: string) => MatchReason[];
}

export interface SearchOptions extends RankOptions {
	/** Least score of a hit, 0 to 100. */
	minScore?: number | undefined;
}

export interface RankOptions {
	/** Default 10. */
	limit?: number | undefined;
	/** Documents that may be found; all of them by default. */
	accept?: ((id: string) => boolean) | undefined;
	/** How alike each document and the query are by a model of the caller's, by id. */
	nearness?: ReadonlyMap<string, number> | undefined;
}
