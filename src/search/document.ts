/* What is put into the index, and what comes out of a search. */

export interface SearchField {
	/** What one occurrence is worth beside the other fields. */
	weight: number;
	/** How many words the field usually has; occurrences in much longer ones count less. */
	typicalWords: number;
}

export interface SearchDocument {
	id: string;
	/** A list is indexed item by item: no phrase runs from one item into the next. */
	fields: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Why a document was found: one entry a word or phrase of the query. */
export interface MatchReason {
	/** As the query has it. */
	word: string;
	/** As the collection has it, when it is spelled differently there. */
	matched: string;
	kind: 'word' | 'related' | 'prefix' | 'typo' | 'phrase' | 'concept' | 'meaning';
	/** Names of fields, the weightiest first. */
	fields: string[];
	/** What it adds to the score. Absent for `concept` and `meaning`, which add to it together. */
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

export interface SearchOptions {
	/** Default 10. */
	limit?: number | undefined;
	/** Least score of a hit, 0 to 100. */
	minScore?: number | undefined;
	/** Documents that may be found; all of them by default. */
	accept?: ((id: string) => boolean) | undefined;
}
