/*
 * What people ask for is often there under another word. The tables in related/
 * are general vocabulary of engineering work and know nothing of any collection;
 * `npm run eval` is the judge of changes there. One line is one group:
 *
 *     = db database     the same thing under two names
 *     slow sluggish     near to each other
 *     twice > duplicate who says the one may mean the other, not the other way round
 *
 * Words joined by `_` are an idiom: they mean it only together.
 */
import { data } from './related/data.ts';
import { delivery } from './related/delivery.ts';
import { everyday } from './related/everyday.ts';
import { network } from './related/network.ts';
import { people } from './related/people.ts';
import { screens } from './related/screens.ts';
import { shortForms } from './related/short-forms.ts';
import { symptoms } from './related/symptoms.ts';
import { trade } from './related/trade.ts';
import { trouble } from './related/trouble.ts';
import { stem } from './stem.ts';

/** What another name of the same thing counts beside the word itself. */
const SAME_FACTOR = 0.75;
/** What a word counts that is only near to the one that was asked for. */
const NEAR_FACTOR = 0.45;
/** How many others one word may stand for. */
const RELATED_LIMIT = 16;
/** The most words of an idiom. */
export const IDIOM_WORD_LIMIT = 5;

export interface RelatedWord {
	/** One word, or several with spaces between them. */
	form: string;
	/** What it counts beside the word that was asked for. */
	factor: number;
}

type Related = Map<string, Map<string, RelatedWord>>;

let byStems: ReadonlyMap<string, readonly RelatedWord[]> | undefined;

/** What a word or an idiom is often used for, in any of its forms; the nearest first. */
export function relatedWords(...words: readonly string[]): readonly RelatedWord[] {
	byStems ??= readTables();
	return byStems.get(stemsOf(words)) ?? [];
}

function readTables(): ReadonlyMap<string, readonly RelatedWord[]> {
	const related: Related = new Map();
	for (const table of [
		shortForms,
		everyday,
		trouble,
		data,
		delivery,
		network,
		screens,
		people,
		trade,
		symptoms,
	]) {
		for (const line of table.split('\n')) readLine(line, related);
	}
	const nearestFirst = [...related].map(([key, others]): [string, RelatedWord[]] => [
		key,
		[...others.values()].sort((a, b) => b.factor - a.factor).slice(0, RELATED_LIMIT),
	]);
	return new Map(nearestFirst);
}

function readLine(line: string, related: Related): void {
	const isSame = line.startsWith('=');
	const [left = '', right] = (isSame ? line.slice(1) : line).split('>');
	const factor = isSame ? SAME_FACTOR : NEAR_FACTOR;
	const named = keyed(left);
	const meant = right === undefined ? named : keyed(right);
	for (const { key } of named) {
		const others = related.get(key) ?? new Map<string, RelatedWord>();
		related.set(key, others);
		for (const other of meant) {
			const known = others.get(other.key)?.factor ?? 0;
			if (other.key !== key && known < factor) others.set(other.key, { form: other.form, factor });
		}
	}
}

function keyed(text: string): Array<{ form: string; key: string }> {
	return formsIn(text).map((form) => ({ form, key: keyOf(form) }));
}

function formsIn(text: string): string[] {
	return text
		.split(' ')
		.filter((form) => form !== '')
		.map((form) => form.replaceAll('_', ' '));
}

function keyOf(form: string): string {
	return stemsOf(form.split(' '));
}

function stemsOf(words: readonly string[]): string {
	return words.length === 1 ? stem(words[0] ?? '') : words.map((word) => stem(word)).join(' ');
}
