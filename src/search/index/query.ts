/*
 * A query as weighted words: stop words dropped, each remaining word with its
 * matches in this collection. Idioms are words of their own, after the others. The
 * weight of a word is its inverse document frequency (IDF).
 */

import { QUERY_SCAN_LIMIT, QUERY_WORD_LIMIT } from '../search-limits.ts';
import { isCommonWord } from '../text/common-words.ts';
import { stopWords } from '../text/stop-words.ts';
import { wordsOf } from '../text/words.ts';
import { type Candidate, candidatesFor, halvesOf, idiomsIn, type Vocabulary } from './candidates.ts';

/** Weight of a common English word beside others with the same IDF. */
const COMMON_SHARE = 0.87;

export interface Alternative extends Candidate {
	/** IDF of the matched word, at most that of the word of the query. */
	rarity: number;
}

export interface QueryWord {
	text: string;
	alternatives: Alternative[];
	/** Inverse document frequency of the word in this collection. */
	rarity: number;
}

/** The words of `text` that are no stop words, in order, without repetition. */
export function readQuery(text: string, vocabulary: Vocabulary, documents: number): QueryWord[] {
	const queryWords = wordsOf(text, QUERY_SCAN_LIMIT).flatMap((word) => halvesOf(word, vocabulary));
	const words: QueryWord[] = [];
	const seen = new Set<unknown>();
	for (const [at, word] of queryWords.entries()) {
		const key = vocabulary.lexicon.find(word) ?? word;
		if (stopWords.has(word) || seen.has(key) || words.length === QUERY_WORD_LIMIT) continue;
		seen.add(key);
		words.push(weigh(word, candidatesFor(queryWords, at, vocabulary), documents));
	}
	for (const { text: idiom, candidates } of idiomsIn(queryWords, vocabulary)) {
		const unsaid = candidates.filter(({ posting }) => !seen.has(posting));
		if (unsaid.length > 0 && words.length < QUERY_WORD_LIMIT) words.push(weigh(idiom, unsaid, documents));
	}
	return words;
}

/** The inverse document frequency (IDF) of a word in `count` of `documents`, as BM25 has it. */
export function rarityOf(count: number, documents: number): number {
	return Math.log(1 + (documents - count + 0.5) / (count + 0.5));
}

function weigh(text: string, candidates: readonly Candidate[], documents: number): QueryWord {
	const rarities = candidates.map(({ posting }) => rarityOf(posting.count, documents));
	const isOwn = candidates[0]?.kind === 'word' || candidates[0]?.kind === 'typo';
	const full = isOwn ? (rarities[0] ?? 0) : Math.max(0, ...rarities);
	const rarity = isCommonWord(text) ? COMMON_SHARE * full : full;
	const alternatives = candidates.map((candidate, index) => ({
		...candidate,
		rarity: Math.min(candidate.kind === 'word' ? rarity : full, rarities[index] ?? 0),
	}));
	return { text, alternatives, rarity };
}
