/* Every limit of the ranker. */

/** Lines whose terms are pooled. */
export const POOLED_LINE_LIMIT = 5;
/** Most terms of an expansion. */
export const EXPANSION_TERM_LIMIT = 17;
/** Words of the query that are named as the reason of a match by similarity alone. */
export const REASON_WORD_LIMIT = 2;

/** Most synonyms of one word. */
export const SYNONYM_LIMIT = 16;
/** Most words of an idiom. */
export const IDIOM_WORD_LIMIT = 5;
/** Characters of a phrase that select its lines; `stem` leaves that many. */
export const PHRASE_START_CHARACTERS = 2;

/** Most matches of one unknown word. */
export const NEAR_WORD_LIMIT = 4;
/** Shortest half of a compound. */
export const COMPOUND_HALF_LEAST_CHARACTERS = 4;
/** Shortest word that is split in two. */
export const COMPOUND_LEAST_CHARACTERS: number = 2 * COMPOUND_HALF_LEAST_CHARACTERS;

/** Most expansion terms that are listed as reasons of one document. */
export const REASON_TERM_LIMIT = 2;

/** Words shorter than this are never taken for a typo. */
export const TYPO_LEAST_CHARACTERS = 4;
/** Words of this length and more may have an edit distance of 2. */
export const TWO_TYPOS_LEAST_CHARACTERS = 8;
/** Shortest word that matches as a prefix. */
export const PREFIX_LEAST_CHARACTERS = 3;

/** More words than this in a query are ignored; one bit each must fit in a number. */
export const QUERY_WORD_LIMIT = 30;
/** Words of a query that are read at all, stop words included. */
export const QUERY_SCAN_LIMIT: number = 8 * QUERY_WORD_LIMIT;

/** Words of one document beyond these are not indexed. */
export const DOCUMENT_WORD_LIMIT = 50_000;

/** Most pairs that are listed for one document. */
export const SIMILAR_PAIR_LIMIT = 2;
/** How many words of a document are scanned. */
export const SIMILAR_LOOK_LIMIT = 64;
/** How many of them, those that add most to the similarity, are paired with words of the query. */
export const SIMILAR_NEAREST_LIMIT = 8;

/** Longer runs of letters are encoded data, not words. */
export const WORD_LIMIT_CHARACTERS = 64;
