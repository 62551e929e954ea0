/* The terms that the concepts of a query add to it: those that the collection has, by how many of them it has. */
import type { Concepts } from '../concepts/concepts.ts';
import { QUERY_SCAN_LIMIT } from '../search-limits.ts';
import { wordsOf } from '../text/words.ts';
import type { Lexicon } from './lexicon.ts';
import type { PostingList } from './posting-list.ts';
import { rarityOf } from './query.ts';

/** In a large collection, terms in a larger part of the documents say little and take long. */
const TERM_MOST_SHARE = 0.25;
/** An expansion counts in full when the collection has this part of its terms; with fewer the query is likely about something else. */
const KNOWN_TERMS_SHARE = 0.8;
/** Terms in so few documents cost nothing. */
const TERM_FREE_DOCUMENTS = 1000;

/** An expansion term that the collection has. */
export interface KnownTerm {
	posting: PostingList;
	form: string;
	rarity: number;
	/** Confidence, from 0 to 1. */
	weight: number;
	/** The words of the query that lead to it. */
	text: string;
}

/** @param size number of documents in the collection */
export function knownTerms(
	concepts: Concepts | undefined,
	lexicon: Lexicon,
	{ query, size }: { query: string; size: number },
): KnownTerm[] {
	const mostDocuments = Math.max(TERM_FREE_DOCUMENTS, TERM_MOST_SHARE * size);
	const meant = concepts?.expand(wordsOf(query, QUERY_SCAN_LIMIT)) ?? [];
	const known = meant.flatMap((term): KnownTerm[] => {
		const posting = lexicon.find(term.form);
		return posting ? [{ ...term, posting, rarity: rarityOf(posting.count, size) }] : [];
	});
	const confidence = Math.min(1, weightOf(known) / weightOf(meant) / KNOWN_TERMS_SHARE);
	return known
		.filter(({ posting }) => posting.count <= mostDocuments)
		.map((term) => ({ ...term, weight: term.weight * confidence }));
}

function weightOf(terms: readonly { weight: number }[]): number {
	return terms.reduce((sum, { weight }) => sum + weight, 0);
}
