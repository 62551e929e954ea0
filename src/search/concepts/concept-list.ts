/*
 * Concepts, from `data/concepts.txt`: plain words, and the terms that they lead to.
 * The list comes as text, so that this layer needs no files.
 *
 *     @pay = pay, charge, bill
 *     @pay twice, double payment > idempotent, duplicate
 *
 * Left of `>` are patterns; `/` separates alternatives, and `@name` stands for a
 * class of them. Right of `>` are terms.
 */
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import { brokenLine, listLines } from './word-list.ts';

const CLASS = /^@([a-z]+) = ([a-z0-9]+(?:, [a-z0-9]+)*)$/;
const LINE = /^@?[a-z0-9]+(?:(?:, | |\/)@?[a-z0-9]+)* > [a-z0-9+#]+(?:, [a-z0-9+#]+)*$/;
/** More than one plain word. */
const SEVERAL = /[@/]/;

/** Lines that are read in one step. */
const STEP_LINES = 200;
/** How many alternatives of a slot contribute to the vector of a line. */
const LEADING_WORDS = 2;

/**
 * A slot is one word of a pattern, or several alternatives. Most slots and stems occur many times, so both
 * have numbers.
 */
export interface ConceptList {
	/** The terms of each line. */
	readonly terms: ReadonlyArray<readonly string[]>;
	/** The line of each pattern. */
	readonly lineOf: readonly number[];
	/** The slots of each pattern. */
	readonly patterns: NumberRows;
	/** The stems of each slot, each once. */
	readonly slots: NumberRows;
	/** The first stems of each slot that are no stop words. */
	readonly leading: NumberRows;
	/** The number of each stem, in rising order. */
	readonly stems: ReadonlyMap<string, number>;
}

/** Throws `bad_input` for a text that is not a list of concepts. */
export function readConceptList(text: string): ConceptList {
	const steps = conceptListSteps(text);
	for (;;) {
		const step = steps.next();
		if (step.done) return step.value;
	}
}

/** The same in steps of some milliseconds. */
export function* conceptListSteps(text: string): Generator<void, ConceptList> {
	const reader = new ListReader();
	let count = 0;
	for (const { line, number } of listLines(text)) {
		reader.read(line, number);
		if (++count % STEP_LINES === 0) yield;
	}
	return reader;
}

/** Rows of integers in one array, instead of thousands of small arrays, which would take longer to allocate than to fill. */
class NumberRows {
	readonly values: number[] = [];
	/** Where each row begins, and where the next one would. */
	readonly starts: number[] = [0];

	/** How many rows are whole. */
	get count(): number {
		return this.starts.length - 1;
	}

	/** End the row that was pushed to `values`. Returns its number. */
	end(): number {
		return this.starts.push(this.values.length) - 2;
	}

	row(number: number): number[] {
		return this.values.slice(this.starts[number], this.starts[number + 1]);
	}
}

class ListReader implements ConceptList {
	readonly terms: string[][] = [];
	readonly lineOf: number[] = [];
	readonly patterns = new NumberRows();
	readonly slots = new NumberRows();
	readonly leading = new NumberRows();
	readonly stems = new Map<string, number>();
	readonly #classes = new Map<string, string[]>();
	readonly #slotNumbers = new Map<string, number>();
	/** Number of the stem of each word; a word is stemmed once. */
	readonly #words = new Map<string, number>();

	read(line: string, number: number): void {
		const [, name, members] = CLASS.exec(line) ?? [];
		if (name === undefined) return this.#readLine(line, number);
		if (this.#classes.has(name)) throw broken(number, `defines the class "@${name}" again`);
		this.#classes.set(name, (members ?? '').split(', '));
	}

	#readLine(line: string, number: number): void {
		if (!LINE.test(line)) throw broken(number, 'is not of the form "words, words > terms"');
		const arrow = line.indexOf(' > ');
		const { values } = this.patterns;
		for (const piece of line.slice(0, arrow).split(' ')) {
			const isLast = piece.endsWith(',');
			values.push(this.#slotOf(isLast ? piece.slice(0, -1) : piece, number));
			if (isLast) this.#endPattern();
		}
		this.#endPattern();
		this.terms.push(line.slice(arrow + 3).split(', '));
	}

	#endPattern(): void {
		this.patterns.end();
		this.lineOf.push(this.terms.length);
	}

	#slotOf(text: string, line: number): number {
		const known = this.#slotNumbers.get(text);
		if (known !== undefined) return known;
		const words = SEVERAL.test(text) ? this.#wordsOf(text, line) : [text];
		const { values, starts } = this.slots;
		for (let at = 0; at < words.length; at++) {
			const word = words[at] ?? '';
			const root = this.#stemOf(word);
			if (values.indexOf(root, starts.at(-1)) === -1) values.push(root);
			if (at < LEADING_WORDS && !stopWords.has(word)) this.leading.values.push(root);
		}
		this.leading.end();
		const number = this.slots.end();
		this.#slotNumbers.set(text, number);
		return number;
	}

	#stemOf(word: string): number {
		const known = this.#words.get(word);
		if (known !== undefined) return known;
		const root = stem(word);
		let number = this.stems.get(root);
		if (number === undefined) this.stems.set(root, (number = this.stems.size));
		this.#words.set(word, number);
		return number;
	}

	#wordsOf(slot: string, line: number): string[] {
		return slot.split('/').flatMap((word) => this.#membersOf(word, line));
	}

	#membersOf(word: string, line: number): string[] {
		if (!word.startsWith('@')) return [word];
		const members = this.#classes.get(word.slice(1));
		if (!members) throw broken(line, `names the class "${word}", which is not defined before it`);
		return members;
	}
}

function broken(number: number, problem: string): Error {
	return brokenLine({ list: 'concepts', number }, problem);
}
