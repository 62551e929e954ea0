/*
 * One score from independent signals, the same for tools and documents.
 *
 * Every signal ranks all documents by itself: the words of the query and what they may
 * stand for, the words as they are written, the name, adjacent words, similarity of
 * meaning, expansion terms, and the group (the server of a tool). The weights were learnt
 * on the dev queries of `eval/`, tools and libraries together. Guesses (meaning, terms)
 * also count relative to the best of the query: their absolute values say little.
 */

/** The weight of each signal of a document in one query; signals are from 0 to about 1. */
export interface SignalWeights {
	/** BM25 with synonyms, typos and prefixes. */
	readonly words: number;
	/** BM25 of the words as they are written, in any form of their stem. */
	readonly literal: number;
	/** Cosine similarity. */
	readonly meaning: number;
	/** Expansion terms. */
	readonly terms: number;
	/** Similarity by a model of the user's choice. */
	readonly nearness: number;
}

/** The signals that are computed for the best candidates only. */
export interface NameSignals {
	/** How much of the name is in the query, by rarity. */
	readonly nameInQuery: number;
	readonly phrases: number;
	/** 1 when the query says the name of the group of the document. */
	readonly groupNamed: number;
	/** How well the best document of the group has the words of the query. */
	readonly groupFits: number;
}

/** The highest values of a query. */
export interface Highest {
	readonly meaning: number;
	readonly terms: number;
}

const weights = {
	words: 0.86,
	literal: 0.18,
	meaning: 1.33,
	meaningOfBest: 0.18,
	terms: 0.14,
	termsOfBest: 0.62,
	nearness: 0.8,
	nameInQuery: 0.19,
	phrases: 1.7,
	groupNamed: 0.4,
	groupFits: 0.37,
};
/** Terms that all documents hold little of are not scaled up beyond this. */
const TERMS_LEAST_BEST = 0.3;
/** The sum of a document that has what the query asks for: a score of 1. */
const FULL = 4;

/** The weights of the signals of all documents. */
export function weightsFor(highest: Highest): SignalWeights {
	const ofBest = highest.meaning > 0 ? weights.meaningOfBest / highest.meaning : 0;
	return {
		words: weights.words / FULL,
		literal: weights.literal / FULL,
		meaning: (weights.meaning + ofBest) / FULL,
		nearness: weights.nearness / FULL,
		terms: (weights.terms + weights.termsOfBest / Math.max(TERMS_LEAST_BEST, highest.terms)) / FULL,
	};
}

/** The share of the name and the group in it. */
export function fuseName(signals: NameSignals): number {
	return (
		(weights.nameInQuery * signals.nameInQuery +
			weights.phrases * signals.phrases +
			weights.groupNamed * signals.groupNamed +
			weights.groupFits * signals.groupFits) /
		FULL
	);
}

/** A share of the words of the query as a part of the score, for the reasons. */
export function partOfWords(share: number): number {
	return ((weights.words + weights.literal) * share) / FULL;
}

/** The same for adjacent words. */
export function partOfPhrase(share: number): number {
	return (weights.phrases * share) / FULL;
}
