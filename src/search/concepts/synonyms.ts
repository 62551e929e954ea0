/*
 * Synonyms of words and idioms, from `data/synonyms.txt`. It comes as text, so that
 * this layer needs no files. One line is one group:
 *
 *     db = database               two names of the same thing
 *     slow, sluggish              related words
 *     charged twice > idempotent  the left leads to the right, not the other way round
 *
 * Few lines are ever looked up, so lines are parsed on demand, by the first two
 * characters of a phrase. `npm run eval` judges changes of the list.
 */
import { PHRASE_START_CHARACTERS, SYNONYM_LIMIT } from '../search-limits.ts';
import { stem } from '../text/stem.ts';
import { checkPhrases, listLines } from './word-list.ts';

/** Weight of another name of the same thing, beside the word itself. */
const SAME_FACTOR = 0.75;
/** Weight of a related word. */
const RELATED_FACTOR = 0.45;

export interface Synonym {
	/** One word, or several with spaces between them. */
	form: string;
	/** Weight beside the word of the query, from 0 to 1. */
	factor: number;
}

type Table = ReadonlyMap<string, readonly Synonym[]>;

const START = /^[a-z0-9][a-z0-9 ]?$/;
const empty: Table = new Map();

export class Synonyms {
	/** All lines, each with a space before every word. */
	readonly #lines: string;
	/** Parsed lines, by the start of a phrase and then by its stems. */
	readonly #byStart = new Map<string, Table>();

	/** Throws `bad_input` for a text that is not a list of synonyms. */
	constructor(text: string) {
		const lines: string[] = [];
		for (const { line, number } of listLines(text)) {
			checkPhrases(line, { list: 'synonyms', number, form: 'a, b > c' });
			lines.push(` ${line}\n`);
		}
		this.#lines = lines.join('');
	}

	/** Synonyms of a word or an idiom in any of its forms, the closest first. */
	of(...words: readonly string[]): readonly Synonym[] {
		return this.ofStems(stemsOf(words));
	}

	/** The same for stems with spaces between them. */
	ofStems(stems: string): readonly Synonym[] {
		return this.#tableOf(stems.slice(0, PHRASE_START_CHARACTERS)).get(stems) ?? [];
	}

	#tableOf(start: string): Table {
		const known = this.#byStart.get(start);
		if (known || !START.test(start)) return known ?? empty;
		const found = new Map<string, Map<string, Synonym>>();
		for (const line of this.#linesWith(` ${start}`)) readLine(line, start, found);
		const closestFirst = [...found].map(([key, others]): [string, Synonym[]] => [
			key,
			[...others.values()].sort((a, b) => b.factor - a.factor).slice(0, SYNONYM_LIMIT),
		]);
		const table = new Map(closestFirst);
		this.#byStart.set(start, table);
		return table;
	}

	*#linesWith(piece: string): Generator<string> {
		const lines = this.#lines;
		for (let at = lines.indexOf(piece); at !== -1; at = lines.indexOf(piece, at)) {
			const begin = lines.lastIndexOf('\n', at) + 1;
			at = lines.indexOf('\n', at);
			yield lines.slice(begin + 1, at);
		}
	}
}

function readLine(line: string, start: string, found: Map<string, Map<string, Synonym>>): void {
	const isSame = line.includes(' = ');
	const factor = isSame ? SAME_FACTOR : RELATED_FACTOR;
	const [left = '', right] = line.split(' > ');
	const named = left.split(isSame ? ' = ' : ', ');
	const meant = (right?.split(', ') ?? named).map((form) => ({ form, key: keyOf(form) }));
	for (const key of named.filter((form) => form.startsWith(start)).map(keyOf)) {
		const others = found.get(key) ?? new Map<string, Synonym>();
		found.set(key, others);
		for (const other of meant) {
			const known = others.get(other.key)?.factor ?? 0;
			if (other.key !== key && known < factor) others.set(other.key, { form: other.form, factor });
		}
	}
}

function keyOf(form: string): string {
	return stemsOf(form.split(' '));
}

function stemsOf(words: readonly string[]): string {
	return words.length === 1 ? stem(words[0] ?? '') : words.map((word) => stem(word)).join(' ');
}
