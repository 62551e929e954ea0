/*
 * The reasons of a match, computed only for the documents that are returned: which
 * words matched, in which fields, and which of them are adjacent.
 */
import type { MatchReason } from '../document.ts';
import { REASON_TERM_LIMIT } from '../search-limits.ts';
import type { KnownTerm } from './expansion-terms.ts';
import type { QueryWord } from './query.ts';
import type { WordPlaces } from './word-row.ts';

export interface PhraseMatch {
	/** Place of the first word of the pair in the query. */
	first: number;
	/** The best field that has the pair. */
	field: number;
	rarity: number;
}

/** Pairs of neighbouring query words that are neighbours in the document too. */
export function phrasesIn({ row, starts }: WordPlaces, words: readonly QueryWord[]): PhraseMatch[] {
	const found: PhraseMatch[] = [];
	for (let first = 0; first + 1 < words.length; first++) {
		const left = words[first]?.alternatives[0];
		const right = words[first + 1]?.alternatives[0];
		if (!left || !right) continue;
		const at = pairIn(row, left.posting.number, right.posting.number);
		if (at === -1) continue;
		const rarity =
			((words[first]?.rarity ?? 0) + (words[first + 1]?.rarity ?? 0)) * left.factor * right.factor;
		found.push({ first, field: fieldAt(starts, at), rarity });
	}
	return found;
}

/** Fields stand in the row in the order given, the weightiest first, so the first place is the best. */
function pairIn(row: Uint32Array, left: number, right: number): number {
	for (let at = row.indexOf(left); at !== -1; at = row.indexOf(left, at + 1)) {
		if (row[at + 1] === right) return at;
	}
	return -1;
}

function fieldAt(starts: readonly number[], at: number): number {
	let field = 0;
	while (field + 2 < starts.length && (starts[field + 1] ?? 0) <= at) field++;
	return field;
}

export interface Evidence {
	document: WordPlaces;
	words: readonly QueryWord[];
	phrases: readonly PhraseMatch[];
	/** Terms that the query may mean, most confident first. */
	terms: readonly KnownTerm[];
	/** Words of the document that are near to words of the query. */
	near: readonly SimilarForm[];
	fieldNames: readonly string[];
	/** The share of a word of the query, or a phrase, in the score, from 0 to 1. */
	partOf: (match: QueryWord | PhraseMatch) => number;
}

/** A word of the document, as it is spelled there, and the word of the query that it is near to. */
export interface SimilarForm {
	word: string;
	number: number;
	form: string;
}

/** A score from 0 to 1 as points of 100, with one decimal. */
export function toPoints(score: number): number {
	return Math.round(1000 * score) / 10;
}

export function explain(evidence: Evidence): MatchReason[] {
	const { document, words, phrases, terms, near, fieldNames, partOf } = evidence;
	const fieldsWith = (number: number): string[] =>
		fieldNames.filter((_, index) => isInField(document, index, number));
	const reasons: MatchReason[] = [];
	const explained = new Set<number>();
	for (const word of words) {
		const { text, alternatives } = word;
		const met = alternatives.find(({ posting }) => document.row.includes(posting.number));
		if (!met) continue;
		const fields = fieldsWith(met.posting.number);
		reasons.push({ word: text, matched: met.form, kind: met.kind, fields, points: toPoints(partOf(word)) });
		explained.add(met.posting.number);
	}
	for (const phrase of phrases) {
		const { first, field } = phrase;
		const pair = `${words[first]?.text ?? ''} ${words[first + 1]?.text ?? ''}`;
		const fields = [fieldNames[field] ?? ''];
		reasons.push({ word: pair, matched: pair, kind: 'phrase', fields, points: toPoints(partOf(phrase)) });
	}
	const matched = terms.filter(
		({ posting }) => !explained.has(posting.number) && document.row.includes(posting.number),
	);
	for (const { text, form, posting } of matched.slice(0, REASON_TERM_LIMIT)) {
		const fields = fieldsWith(posting.number);
		reasons.push({ word: text, matched: form, kind: 'concept', fields });
		explained.add(posting.number);
	}
	for (const { word, number, form } of near) {
		if (explained.has(number)) continue;
		const fields = fieldsWith(number);
		reasons.push({ word, matched: form, kind: 'meaning', fields });
	}
	return reasons;
}

function isInField({ row, starts }: WordPlaces, field: number, number: number): boolean {
	const at = row.indexOf(number, starts[field]);
	return at !== -1 && at < (starts[field + 1] ?? 0);
}

/** The reasons in one short line, for users. */
export function describeReasons(reasons: readonly MatchReason[]): string {
	return reasons.map(describe).join('; ');
}

function describe({ word, matched, kind, fields }: MatchReason): string {
	const place = fields.join(', ');
	if (kind === 'usage') return 'used for a similar query';
	if (kind === 'meaning') return `"${word}" is near to ${matched} in ${place}`;
	if (kind === 'concept') return `"${word}" may mean ${matched} in ${place}`;
	if (kind === 'phrase') return `phrase "${word}" in ${place}`;
	return word === matched ? `"${word}" in ${place}` : `"${word}" as ${matched} in ${place}`;
}
