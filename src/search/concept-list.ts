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

/** One word of a pattern, or several that do as well as each other. */
export interface Slot {
	/** Each once. */
	stems: readonly string[];
	/** The first of them, when they have a subject of their own. */
	leading: readonly string[];
}

export interface ConceptLine {
	patterns: Slot[][];
	/** What is meant, each word once. */
	terms: string[];
}

/** Throws `bad_input` for a text that is no such list. */
export function readConceptList(text: string): ConceptLine[] {
	const reader = new ListReader();
	const found = text.split('\n').map((line, index) => reader.read(line.trim(), index + 1));
	return found.filter((line) => line !== undefined);
}

class ListReader {
	readonly #classes = new Map<string, string[]>();
	/** Most slots occur many times. */
	readonly #slots = new Map<string, Slot>();

	read(line: string, number: number): ConceptLine | undefined {
		if (line === '' || line.startsWith('#')) return undefined;
		const [, name, members] = CLASS.exec(line) ?? [];
		if (name === undefined) return this.#readLine(line, number);
		if (this.#classes.has(name)) throw broken(number, `defines the class "@${name}" again`);
		this.#classes.set(name, (members ?? '').split(' '));
		return undefined;
	}

	#readLine(line: string, number: number): ConceptLine {
		if (!LINE.test(line)) throw broken(number, 'is not of the form "words, words > terms"');
		const [left = '', right = ''] = line.split(' > ');
		const patterns = left
			.split(', ')
			.map((pattern) => pattern.split(' ').map((slot) => this.#slotOf(slot, number)));
		return { patterns, terms: [...new Set(right.split(' '))] };
	}

	#slotOf(text: string, line: number): Slot {
		const known = this.#slots.get(text);
		if (known) return known;
		const words = text.split('/').flatMap((word) => this.#membersOf(word, line));
		const leading = words.slice(0, LEADING_WORDS).filter((word) => !stopWords.has(word));
		const slot = {
			stems: [...new Set(words.map((word) => stem(word)))],
			leading: leading.map((word) => stem(word)),
		};
		this.#slots.set(text, slot);
		return slot;
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
