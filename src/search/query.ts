/*
 * A question to weighted words: stop words dropped, each remaining word tied to
 * what it can stand for in this collection. A word that the collection knows
 * stands for itself; one that it does not know may be a slip of the finger or
 * the beginning of a longer word. A rare word is worth more than a common one.
 */
import type { Lexicon, NearWord } from './lexicon.ts';
import type { Posting } from './posting.ts';
import { relatedWords } from './related-words.ts';
import { stopWords } from './stop-words.ts';
import { wordsOf } from './words.ts';

/** More words than this in a question are ignored; one bit each must fit in a number. */
export const QUERY_WORD_LIMIT = 30;
/** How many other words one unknown word may stand for. */
export const NEAR_WORD_LIMIT = 4;

const RELATED_FACTOR = 0.4;
const TYPO_FACTOR = [1, 0.85, 0.65];
const PREFIX_FACTOR = 0.7;

export interface Alternative {
	posting: Posting;
	form: string;
	kind: 'word' | 'related' | 'prefix' | 'typo';
	/** 1 for the word itself, less for what it only may mean. */
	factor: number;
	/** Worth of the word that was met; never more than that of the word asked for. */
	rarity: number;
}

export interface QueryWord {
	text: string;
	alternatives: Alternative[];
	/** Worth of the word in this collection: the rarer, the more. */
	rarity: number;
}

/** The words of `text` that carry a subject, in order, without repetition. */
export function readQuery(text: string, lexicon: Lexicon, documents: number): QueryWord[] {
	const telling = wordsOf(text).filter((word) => !stopWords.has(word));
	const words: QueryWord[] = [];
	const seen = new Set<unknown>();
	for (const word of telling) {
		const key = lexicon.find(word) ?? word;
		if (seen.has(key) || words.length === QUERY_WORD_LIMIT) continue;
		seen.add(key);
		words.push(weigh(word, candidatesFor(word, lexicon), documents));
	}
	return words;
}

/** How telling a word is that `count` of `documents` hold. */
export function rarityOf(count: number, documents: number): number {
	return Math.log(1 + (documents - count + 0.5) / (count + 0.5));
}

function weigh(text: string, candidates: Candidate[], documents: number): QueryWord {
	const rarities = candidates.map(({ posting }) => rarityOf(posting.count, documents));
	const isOwn = candidates[0]?.kind === 'word' || candidates[0]?.kind === 'typo';
	const rarity = isOwn ? (rarities[0] ?? 0) : Math.max(0, ...rarities);
	const alternatives = candidates.map((candidate, index) => ({
		...candidate,
		rarity: Math.min(rarity, rarities[index] ?? 0),
	}));
	return { text, alternatives, rarity };
}

type Candidate = Omit<Alternative, 'rarity'>;

function candidatesFor(word: string, lexicon: Lexicon): Candidate[] {
	const known = lexicon.find(word);
	const own: Candidate[] = known ? [{ posting: known, form: word, kind: 'word', factor: 1 }] : [];
	const related = relatedWords(word).flatMap((form): Candidate[] => {
		const posting = lexicon.find(form);
		return posting && posting !== known ? [{ posting, form, kind: 'related', factor: RELATED_FACTOR }] : [];
	});
	const near = own.length + related.length > 0 ? [] : nearAlternatives(lexicon.near(word));
	return [...own, ...related, ...near];
}

function nearAlternatives(near: readonly NearWord[]): Candidate[] {
	const found = new Map<Posting, Candidate>();
	for (const { posting, form, kind, distance } of near) {
		if (found.has(posting)) continue;
		const factor = kind === 'prefix' ? PREFIX_FACTOR : (TYPO_FACTOR[distance] ?? 0);
		found.set(posting, { posting, form, kind, factor });
	}
	return [...found.values()].sort((a, b) => b.factor - a.factor).slice(0, NEAR_WORD_LIMIT);
}
