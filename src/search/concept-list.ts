/*
 * A list of concepts as text: how people say it who do not know the term, and
 * the terms they are after. It comes as text, so that this layer needs no files.
 *
 *     @pay = pay charge bill
 *     @pay twice, double payment > idempotent duplicate
 *
 * Left of `>` stand patterns with commas between them, `/` between words that do
 * as well as each other, and `@name` for a class of such words. Words are written
 * in small letters and digits, so that the list is read in a moment.
 */
import { OrchestraError } from '../errors.ts';
import { stem } from './stem.ts';
import { stopWords } from './stop-words.ts';

const CLASS = /^@([a-z]+) = ([a-z0-9]+(?: [a-z0-9]+)*)$/;
const LINE = /^@?[a-z0-9]+(?:(?:, | |\/)@?[a-z0-9]+)* > [a-z0-9+#]+(?: [a-z0-9+#]+)*$/;

/** How many of the words that do as well as each other stand for what they mean. */
const LEADING_WORDS = 2;

/** One word of a pattern, or several that do as well as each other; all by their number. */
export interface Slot {
	/** Each once. */
	stems: readonly number[];
	/** The first of them, when they have a subject of their own. */
	leading: readonly number[];
}

export interface ConceptLine {
	/** Each is a row of slots, by their number. */
	patterns: number[][];
	/** What is meant, with spaces between. */
	terms: string;
}

/** Most slots and stems occur many times, so both have numbers. */
export interface ConceptList {
	lines: readonly ConceptLine[];
	slots: readonly Slot[];
	/** The number of each stem. */
	stems: ReadonlyMap<string, number>;
}

/** Throws `bad_input` for a text that is no such list. */
export function readConceptList(text: string): ConceptList {
	const reader = new ListReader();
	for (const [index, line] of text.split('\n').entries()) reader.read(line.trim(), index + 1);
	return reader;
}

class ListReader implements ConceptList {
	readonly lines: ConceptLine[] = [];
	readonly slots: Slot[] = [];
	readonly stems = new Map<string, number>();
	readonly #classes = new Map<string, string[]>();
	readonly #slotNumbers = new Map<string, number>();
	/** Number of the stem of each word, which is worked out once. */
	readonly #words = new Map<string, number>();

	read(line: string, number: number): void {
		if (line === '' || line.startsWith('#')) return;
		const [, name, members] = CLASS.exec(line) ?? [];
		if (name === undefined) return this.#readLine(line, number);
		if (this.#classes.has(name)) throw broken(number, `defines the class "@${name}" again`);
		this.#classes.set(name, (members ?? '').split(' '));
	}

	#readLine(line: string, number: number): void {
		if (!LINE.test(line)) throw broken(number, 'is not of the form "words, words > terms"');
		const [left = '', terms = ''] = line.split(' > ');
		const patterns = left
			.split(', ')
			.map((pattern) => pattern.split(' ').map((slot) => this.#slotOf(slot, number)));
		this.lines.push({ patterns, terms });
	}

	#slotOf(text: string, line: number): number {
		const known = this.#slotNumbers.get(text);
		if (known !== undefined) return known;
		const words = text.split('/').flatMap((word) => this.#membersOf(word, line));
		const leading = words.slice(0, LEADING_WORDS).filter((word) => !stopWords.has(word));
		const slot = {
			stems: [...new Set(words.map((word) => this.#stemOf(word)))],
			leading: leading.map((word) => this.#stemOf(word)),
		};
		const number = this.slots.push(slot) - 1;
		this.#slotNumbers.set(text, number);
		return number;
	}

	#stemOf(word: string): number {
		const known = this.#words.get(word);
		if (known !== undefined) return known;
		const root = stem(word);
		const number = this.stems.get(root) ?? this.stems.size;
		this.stems.set(root, number);
		this.#words.set(word, number);
		return number;
	}

	#membersOf(word: string, line: number): string[] {
		if (!word.startsWith('@')) return [word];
		const members = this.#classes.get(word.slice(1));
		if (!members) throw broken(line, `names the class "${word}", which is not defined before it`);
		return members;
	}
}

function broken(line: number, problem: string): OrchestraError {
	return new OrchestraError('bad_input', `line ${line} of the list of concepts ${problem}`, {
		hint: 'Install the package again.',
	});
}
