/*
 * What one word of a question can stand for in this collection. A word that the
 * collection knows stands for itself and, for less, for what is related to it;
 * one without either may be a slip of the finger or the beginning of a longer
 * word. Whether two words are written as one is taken as a matter of taste.
 */

import {
	IDIOM_WORD_LIMIT,
	type RelatedWord,
	relatedToStems,
	relatedWords,
} from '../concepts/related-words.ts';
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import type { Lexicon, NearWord } from './lexicon.ts';
import type { Posting } from './posting.ts';

/** How many other words one unknown word may stand for. */
export const NEAR_WORD_LIMIT = 4;
/** Shortest half of a word that was written in one and is known in two. */
const HALF_LEAST_CHARACTERS = 4;
/** Shortest word that is looked at for halves. */
const WHOLE_LEAST_CHARACTERS = 2 * HALF_LEAST_CHARACTERS;

const JOINED_FACTOR = 0.85;
const TYPO_FACTOR = [1, 0.85, 0.65];
const PREFIX_FACTOR = 0.7;

export interface Candidate {
	posting: Posting;
	form: string;
	kind: 'word' | 'related' | 'prefix' | 'typo';
	/** 1 for the word itself, less for what it only may mean. */
	factor: number;
}

export interface Idiom {
	text: string;
	candidates: Candidate[];
}

/** What the word at `at` can stand for, itself first. */
export function candidatesFor(words: readonly string[], at: number, lexicon: Lexicon): Candidate[] {
	const word = words[at] ?? '';
	const own = lexicon.find(word);
	const found: Candidate[] = own ? [{ posting: own, form: word, kind: 'word', factor: 1 }] : [];
	found.push(...joinedAt(words, at, lexicon), ...known(relatedWords(word), lexicon));
	return found.length > 0 ? withoutRepetition(found) : nearCandidates(lexicon.near(word));
}

/** Idioms of the question, the longest that fits at each place. */
export function idiomsIn(words: readonly string[], lexicon: Lexicon): Idiom[] {
	const found: Idiom[] = [];
	const stems = words.map((word) => stem(word));
	for (let at = 0; at < words.length; at++) {
		for (let length = Math.min(IDIOM_WORD_LIMIT, words.length - at); length > 1; length--) {
			const said = words.slice(at, at + length);
			const related = relatedToStems(stems.slice(at, at + length).join(' '));
			// "out of" is everywhere; an idiom needs a word with a subject.
			if (related.length === 0 || said.every((word) => stopWords.has(word))) continue;
			found.push({
				text: said.join(' '),
				candidates: withoutRepetition(known(related, lexicon)),
			});
			at += length - 1;
			break;
		}
	}
	return found;
}

/** The two words that an unknown one is made of, when the collection knows both. */
export function halvesOf(word: string, lexicon: Lexicon): string[] {
	const isKnown = word.length < WHOLE_LEAST_CHARACTERS || lexicon.find(word) || relatedWords(word).length > 0;
	if (isKnown || stopWords.has(word)) return [word];
	for (let at = HALF_LEAST_CHARACTERS; at <= word.length - HALF_LEAST_CHARACTERS; at++) {
		const halves = [word.slice(0, at), word.slice(at)];
		if (halves.every((half) => lexicon.find(half))) return isSlip(word, lexicon) ? [word] : halves;
	}
	return [word];
}

/** A word that is one slip of the finger away from a known one is that word, not two others. */
function isSlip(word: string, lexicon: Lexicon): boolean {
	return lexicon.near(word).some(({ kind }) => kind === 'typo');
}

/** `web socket` for websocket: the word and the next, written as one. */
function joinedAt(words: readonly string[], at: number, lexicon: Lexicon): Candidate[] {
	const form = `${words[at] ?? ''}${words[at + 1] ?? ''}`;
	const posting = at + 1 < words.length ? lexicon.find(form) : undefined;
	return posting ? [{ posting, form, kind: 'related', factor: JOINED_FACTOR }] : [];
}

function known(related: readonly RelatedWord[], lexicon: Lexicon): Candidate[] {
	return related.flatMap(({ form, factor }): Candidate[] => {
		const posting = form.includes(' ') ? rarestOf(form.split(' '), lexicon) : lexicon.find(form);
		return posting ? [{ posting, form, kind: 'related', factor }] : [];
	});
}

/** Several words are met by the most telling of them, when the collection knows them all. */
function rarestOf(words: readonly string[], lexicon: Lexicon): Posting | undefined {
	const telling = words.filter((word) => !stopWords.has(word)).map((word) => lexicon.find(word));
	if (telling.includes(undefined)) return undefined;
	return telling.sort((a, b) => (a?.count ?? 0) - (b?.count ?? 0))[0];
}

function withoutRepetition(candidates: readonly Candidate[]): Candidate[] {
	const found = new Map<Posting, Candidate>();
	for (const candidate of candidates) {
		const { factor = 0 } = found.get(candidate.posting) ?? {};
		if (candidate.factor > factor) found.set(candidate.posting, candidate);
	}
	return [...found.values()];
}

function nearCandidates(near: readonly NearWord[]): Candidate[] {
	const found = near.map(
		({ posting, form, kind, distance }): Candidate => ({
			posting,
			form,
			kind,
			factor: kind === 'prefix' ? PREFIX_FACTOR : (TYPO_FACTOR[distance] ?? 0),
		}),
	);
	return withoutRepetition(found)
		.sort((a, b) => b.factor - a.factor)
		.slice(0, NEAR_WORD_LIMIT);
}
