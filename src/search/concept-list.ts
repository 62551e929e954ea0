/*
 * A list of concepts as text: how people say it who do not know the term, and
 * the terms they are after. It comes as text, so that this layer needs no files.
 *
 *     @pay = pay charge bill
 *     @pay twice, double payment > idempotent duplicate
 *
 * Left of `>` stand patterns with commas between them, `/` between words that do
 * as well as each other, and `@name` for a class of such words.
 */
import { OrchestraError } from '../errors.ts';
import { wordsOf } from './words.ts';

export interface ConceptLine {
	/** Each pattern is a row of slots, each slot the words that fill it. */
	patterns: string[][][];
	/** What is meant, each word once. */
	terms: string[];
}

type Classes = Map<string, string[]>;

/** Throws `bad_input` for a text that is no such list. */
export function readConceptList(text: string): ConceptLine[] {
	const classes: Classes = new Map();
	const lines: ConceptLine[] = [];
	for (const [index, raw] of text.split('\n').entries()) {
		const line = raw.trim();
		if (line === '' || line.startsWith('#')) continue;
		const [, name, members] = /^@([a-z]+) = (.+)$/.exec(line) ?? [];
		if (name !== undefined) classes.set(name, wordsOf(members ?? ''));
		else lines.push(readLine(line, index + 1, classes));
	}
	return lines;
}

function readLine(line: string, number: number, classes: Classes): ConceptLine {
	const [left = '', right = '', ...rest] = line.split(' > ');
	const terms = [...new Set(wordsOf(right))];
	if (terms.length === 0 || rest.length > 0) throw broken(number, 'needs one " > " with terms after it');
	const patterns = left.split(',').map((pattern) => slotsOf(pattern, number, classes));
	if (patterns.some((slots) => slots.length === 0)) throw broken(number, 'has a pattern without words');
	return { patterns, terms };
}

function slotsOf(pattern: string, line: number, classes: Classes): string[][] {
	const slots = pattern.trim().split(/\s+/);
	return slots
		.map((slot) => slot.split('/').flatMap((word) => membersOf(word, line, classes)))
		.filter((words) => words.length > 0);
}

function membersOf(word: string, line: number, classes: Classes): string[] {
	if (!word.startsWith('@')) return wordsOf(word);
	const members = classes.get(word.slice(1));
	if (!members) throw broken(line, `names the class "${word}", which is not defined before it`);
	return members;
}

function broken(line: number, problem: string): OrchestraError {
	return new OrchestraError('bad_input', `line ${line} of the list of concepts ${problem}`, {
		hint: 'Install the package again.',
	});
}
