/*
 * Glob patterns for file names: `*` any characters, `?` one, `[a-z]` and `[^a]` one of a
 * set, `\` escapes the next character.
 *
 * Not compiled to a regular expression: a pattern is untrusted, and backtracking to the
 * last star only keeps the time bounded.
 */
import { OrchestraError } from '../../errors.ts';
import { DEFAULT_PATTERN, PATTERN_LIMIT_CHARACTERS } from './storage-limits.ts';

type Piece = 'any' | ((char: string) => boolean);

/** A test for names. The empty pattern is `*.md`. Throws `bad_input`. */
export function namePattern(text: string): (name: string) => boolean {
	if (text.length > PATTERN_LIMIT_CHARACTERS) {
		throw bad(text, `is longer than ${PATTERN_LIMIT_CHARACTERS} characters`, 'Write a shorter pattern.');
	}
	if (text.includes('/')) {
		throw bad(text, 'contains a /', 'A list looks into all folders; choose one of them with the prefix.');
	}
	const pieces = [...piecesOf(Array.from(text || DEFAULT_PATTERN), text)];
	return (name) => matches(pieces, Array.from(name));
}

function matches(pieces: readonly Piece[], chars: readonly string[]): boolean {
	let piece = 0;
	let char = 0;
	let star = -1;
	let starredUpTo = 0;
	while (char < chars.length) {
		const current = pieces[piece];
		if (current === 'any') {
			star = piece++;
			starredUpTo = char;
		} else if (current?.(chars[char] ?? '')) {
			piece++;
			char++;
		} else if (star >= 0) {
			piece = star + 1;
			char = ++starredUpTo;
		} else return false;
	}
	while (pieces[piece] === 'any') piece++;
	return piece === pieces.length;
}

function* piecesOf(chars: readonly string[], text: string): Generator<Piece> {
	for (let at = 0; at < chars.length; at++) {
		const char = chars[at];
		if (char === '*') yield 'any';
		else if (char === '?') yield () => true;
		else if (char === '[') {
			const { test, end } = setAt(chars, at, text);
			yield test;
			at = end;
		} else {
			const literal = char === '\\' ? chars[++at] : char;
			if (literal === undefined) throw bad(text, 'ends with a \\', 'Write \\\\ for a backslash.');
			yield (other) => other === literal;
		}
	}
}

function setAt(chars: readonly string[], start: number, text: string): { test: Piece; end: number } {
	const isNegated = chars[start + 1] === '^';
	const ranges: [string, string][] = [];
	let at = start + (isNegated ? 2 : 1);
	const take = (): string => {
		if (chars[at] === '\\') at++;
		const char = chars[at++];
		if (char === undefined) throw bad(text, 'has a [ without its ]', 'Write \\[ for a bracket.');
		return char;
	};
	while (chars[at] !== ']' || ranges.length === 0) {
		const low = take();
		const isRange = chars[at] === '-' && chars[at + 1] !== ']';
		if (isRange) at++;
		ranges.push([low, isRange ? take() : low]);
	}
	const isIn = (char: string): boolean => ranges.some(([low, high]) => low <= char && char <= high);
	return { test: (char) => isIn(char) !== isNegated, end: at };
}

function bad(pattern: string, why: string, hint: string): OrchestraError {
	const shown = JSON.stringify(pattern.slice(0, PATTERN_LIMIT_CHARACTERS));
	return new OrchestraError('bad_input', `the pattern of names ${shown} ${why}`, {
		hint,
		data: { code: 'storage_error' },
	});
}
