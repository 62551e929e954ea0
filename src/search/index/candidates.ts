/*
 * The words of this collection that one word of a query matches. A known word
 * matches itself and, for less, its synonyms; one without either may be a typo or
 * the prefix of a longer word. Compounds match whether they are written as one
 * word or as two.
 */

import { type Synonym, type Synonyms } from '../concepts/synonyms.ts';
import type { Translations } from '../concepts/translations.ts';
import {
	COMPOUND_HALF_LEAST_CHARACTERS,
	COMPOUND_LEAST_CHARACTERS,
	IDIOM_WORD_LIMIT,
	NEAR_WORD_LIMIT,
} from '../search-limits.ts';
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import type { Lexicon, NearWord } from './lexicon.ts';
import type { PostingList } from './posting-list.ts';

const JOINED_FACTOR = 0.85;
const TYPO_FACTOR = [1, 0.85, 0.65];
const PREFIX_FACTOR = 0.7;

export interface Candidate {
	posting: PostingList;
	form: string;
	kind: 'word' | 'related' | 'prefix' | 'typo';
	/** Weight of the match: 1 for the word itself, less for all others. */
	factor: number;
}

export interface Idiom {
	text: string;
	candidates: Candidate[];
}

/** The words of the collection, and the synonyms that lead to more of them. */
export interface Vocabulary {
	readonly lexicon: Lexicon;
	readonly synonyms: Synonyms | undefined;
	readonly translations?: Translations | undefined;
}

/** The matches of the word at `at`, itself first. */
export function candidatesFor(
	words: readonly string[],
	at: number,
	{ lexicon, synonyms, translations }: Vocabulary,
): Candidate[] {
	const word = words[at] ?? '';
	const own = lexicon.find(word);
	const found: Candidate[] = own ? [{ posting: own, form: word, kind: 'word', factor: 1 }] : [];
	const related = [...(synonyms?.of(word) ?? []), ...(translations?.of(word) ?? [])];
	found.push(...joinedAt(words, at, lexicon), ...known(related, lexicon));
	return found.length > 0 ? withoutRepetition(found) : nearCandidates(lexicon.near(word));
}

/** Idioms of the query, the longest at each position. */
export function idiomsIn(words: readonly string[], { lexicon, synonyms }: Vocabulary): Idiom[] {
	const found: Idiom[] = [];
	if (synonyms === undefined) return found;
	const stems = words.map((word) => stem(word));
	for (let at = 0; at < words.length; at++) {
		for (let length = Math.min(IDIOM_WORD_LIMIT, words.length - at); length > 1; length--) {
			const said = words.slice(at, at + length);
			const related = synonyms.ofStems(stems.slice(at, at + length).join(' '));
			// "out of" is everywhere; an idiom needs a word that is no stop word.
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

/** An unknown compound split in two, when the collection knows both halves. */
export function halvesOf(word: string, { lexicon, synonyms }: Vocabulary): string[] {
	if (word.length < COMPOUND_LEAST_CHARACTERS || stopWords.has(word) || lexicon.find(word)) return [word];
	if ((synonyms?.of(word) ?? []).length > 0) return [word];
	for (let at = COMPOUND_HALF_LEAST_CHARACTERS; at <= word.length - COMPOUND_HALF_LEAST_CHARACTERS; at++) {
		const halves = [word.slice(0, at), word.slice(at)];
		if (halves.every((half) => lexicon.find(half))) return isTypo(word, lexicon) ? [word] : halves;
	}
	return [word];
}

/** A typo of a known word is that word, not two others. */
function isTypo(word: string, lexicon: Lexicon): boolean {
	return lexicon.near(word).some(({ kind }) => kind === 'typo');
}

/** `web socket` for websocket: the word and the next, written as one. */
function joinedAt(words: readonly string[], at: number, lexicon: Lexicon): Candidate[] {
	const form = `${words[at] ?? ''}${words[at + 1] ?? ''}`;
	const posting = at + 1 < words.length ? lexicon.find(form) : undefined;
	return posting ? [{ posting, form, kind: 'related', factor: JOINED_FACTOR }] : [];
}

function known(related: readonly Synonym[], lexicon: Lexicon): Candidate[] {
	return related.flatMap(({ form, factor }): Candidate[] => {
		const posting = form.includes(' ') ? rarestOf(form.split(' '), lexicon) : lexicon.find(form);
		return posting ? [{ posting, form, kind: 'related', factor }] : [];
	});
}

/** An idiom is represented by its rarest word, when the collection knows all of its words. */
function rarestOf(words: readonly string[], lexicon: Lexicon): PostingList | undefined {
	const significant = words.filter((word) => !stopWords.has(word)).map((word) => lexicon.find(word));
	if (significant.includes(undefined)) return undefined;
	return significant.sort((a, b) => (a?.count ?? 0) - (b?.count ?? 0))[0];
}

function withoutRepetition(candidates: readonly Candidate[]): Candidate[] {
	const found = new Map<PostingList, Candidate>();
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
