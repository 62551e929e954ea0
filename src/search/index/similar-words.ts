/*
 * Explains a match by similarity: pairs of a document word and a query word with a
 * high cosine similarity. Only the start of a document is scanned; its fields with the
 * highest weights are there.
 */
import { SIMILAR_LOOK_LIMIT, SIMILAR_NEAREST_LIMIT, SIMILAR_PAIR_LIMIT } from '../search-limits.ts';
import type { DocumentVectors, VectorQuery, VectorQueryWord } from '../vectors/document-vectors.ts';
import { NO_ROW, type WordVectors } from '../vectors/word-vectors.ts';

/** Pairs with a lower cosine similarity explain nothing. */
const PAIR_LEAST_SIMILARITY = 0.35;

export interface SimilarPair {
	/** The word as the query has it. */
	word: string;
	/** Number of the posting of the document's word. */
	number: number;
	similarity: number;
}

interface Contribution {
	number: number;
	row: number;
	worth: number;
}

/**
 * The pairs with the highest similarity; none for a document that is not similar.
 * @param numbers of the postings of the document's words, in reading order
 */
export function similarPairs(
	meaning: DocumentVectors,
	vectorQuery: VectorQuery,
	numbers: Uint32Array,
): SimilarPair[] {
	const found = contributions(meaning, vectorQuery, numbers)
		.sort((a, b) => b.worth - a.worth || a.number - b.number)
		.slice(0, SIMILAR_NEAREST_LIMIT)
		.map(({ number, row }) => ({ number, ...mostSimilar(meaning.vectors, vectorQuery.words, row) }))
		.sort((a, b) => b.similarity - a.similarity || a.number - b.number);
	const significant = found.filter(({ similarity }) => similarity >= PAIR_LEAST_SIMILARITY);
	const pairs: SimilarPair[] = [];
	for (const pair of significant) {
		const isListed = pairs.some(({ word }) => word === pair.word);
		if (!isListed && pairs.length < SIMILAR_PAIR_LIMIT) pairs.push(pair);
	}
	return pairs.length > 0 ? pairs : found.slice(0, 1);
}

function contributions(
	meaning: DocumentVectors,
	vectorQuery: VectorQuery,
	numbers: Uint32Array,
): Contribution[] {
	const found: Contribution[] = [];
	const seen = new Set<number>();
	for (const number of numbers) {
		if (seen.size >= SIMILAR_LOOK_LIMIT) break;
		if (seen.has(number)) continue;
		seen.add(number);
		const row = meaning.rowOfNumber(number);
		const worth = row === NO_ROW ? 0 : meaning.worthOf(vectorQuery, row);
		if (worth > 0) found.push({ number, row, worth });
	}
	return found;
}

function mostSimilar(
	vectors: WordVectors,
	words: readonly VectorQueryWord[],
	row: number,
): { word: string; similarity: number } {
	let best = { word: '', similarity: -1 };
	for (const { text, row: own } of words) {
		const similarity = vectors.similarity(own, row);
		if (similarity > best.similarity) best = { word: text, similarity };
	}
	return best;
}
