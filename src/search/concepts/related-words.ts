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

import { stem } from '../text/stem.ts';
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
type Table = ReadonlyMap<string, readonly RelatedWord[]>;

/** What is looked at of a word or an idiom to find its lines; `stem` leaves that much as it is. */
const START_CHARACTERS = 2;
const START = /^[a-z0-9][a-z0-9 ]?$/;
const nothing: Table = new Map();

/** What is related, by how it begins and then by stems. */
const byStart = new Map<string, Table>();
let lines: string | undefined;

/** What a word or an idiom is often used for, in any of its forms; the nearest first. */
export function relatedWords(...words: readonly string[]): readonly RelatedWord[] {
	return relatedToStems(stemsOf(words));
}

/** The same for stems with spaces between them. */
export function relatedToStems(stems: string): readonly RelatedWord[] {
	return tableOf(stems.slice(0, START_CHARACTERS)).get(stems) ?? [];
}

/** Only lines are read with something that begins like this: few of them are ever asked for. */
function tableOf(start: string): Table {
	const known = byStart.get(start);
	if (known || !START.test(start)) return known ?? nothing;
	const related: Related = new Map();
	for (const line of linesWith(` ${start.replace(' ', '_')}`)) readLine(line, start, related);
	const nearestFirst = [...related].map(([key, others]): [string, RelatedWord[]] => [
		key,
		[...others.values()].sort((a, b) => b.factor - a.factor).slice(0, RELATED_LIMIT),
	]);
	const table = new Map(nearestFirst);
	byStart.set(start, table);
	return table;
}

function* linesWith(piece: string): Generator<string> {
	lines ??= allLines();
	for (let at = lines.indexOf(piece); at !== -1; at = lines.indexOf(piece, at)) {
		const begin = lines.lastIndexOf('\n', at) + 1;
		at = lines.indexOf('\n', at);
		yield lines.slice(begin, at);
	}
}

/** All tables as one text, with a space before every word. */
function allLines(): string {
	const tables = [shortForms, everyday, trouble, data, delivery, network, screens, people, trade, symptoms];
	return tables.join('').replaceAll('\n=', '\n= ').replaceAll('\n', '\n ');
}

function readLine(line: string, start: string, related: Related): void {
	const isSame = line.startsWith(' =');
	const [left = '', right] = (isSame ? line.slice(2) : line).split('>');
	const factor = isSame ? SAME_FACTOR : NEAR_FACTOR;
	const named = keyed(left);
	const meant = right === undefined ? named : keyed(right);
	for (const { key } of named.filter(({ form }) => form.startsWith(start))) {
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
