/*
 * The lines that `grep` and `count` go through. Of a long line only the pieces that match are
 * shown, under the number of the line. A pattern sees one piece at a time, because its time is
 * bounded by the length of its text.
 */
import type { TextEdges } from '../../../schema/bounded-pattern.ts';
import { memberPath } from '../cut-json.ts';
import { PATTERN_CHARACTERS, PIECE_CHARACTERS } from '../result-limits.ts';
import type { ExactJson } from './exact-numbers.ts';

/** A hit of a literal pattern is within one piece. */
const OVERLAP = PATTERN_CHARACTERS;

export interface LineSearch {
	readonly lines: readonly string[];
	/** The number of a line, or the path of a leaf of JSON. */
	readonly nameOf: (at: number) => string;
	/** Whether a pattern may match a name. */
	readonly areNamesSearched: boolean;
}

/** Whether a pattern matches a text, or a part of a longer one. */
export type IsMatch = (text: string, around?: TextEdges) => boolean;

/** JSON as one line for each value that is no object or array, named by its path: `items[3].user.login: "ada"`. */
export function leafLines(json: ExactJson): LineSearch {
	const lines: string[] = [];
	const paths: string[] = [];
	const pending: [path: string, value: unknown][] = [['', json.value]];
	for (let next = pending.pop(); next; next = pending.pop()) {
		const [path, value] = next;
		if (typeof value !== 'object' || value === null) {
			paths.push(path || '@');
			lines.push(json.encode(value, Number.POSITIVE_INFINITY));
			continue;
		}
		// The last is taken first.
		if (Array.isArray(value)) {
			for (let at = value.length - 1; at >= 0; at--) pending.push([`${path}[${at}]`, value[at]]);
			continue;
		}
		const names = Object.keys(value);
		for (let at = names.length - 1; at >= 0; at--) {
			const name = names[at] ?? '';
			pending.push([memberPath(path, name), Reflect.get(value, name)]);
		}
	}
	return { lines, nameOf: (at) => paths[at] ?? '@', areNamesSearched: true };
}

/** The matching part of a line: all of it, or some pieces of a long one; nothing when it does not match. */
export function matchingPieces(
	{ lines, nameOf, areNamesSearched }: LineSearch,
	at: number,
	isMatch: IsMatch,
): string[] {
	const line = lines[at] ?? '';
	const named = areNamesSearched ? `${nameOf(at)}: ` : '';
	if (line.length <= PIECE_CHARACTERS) return isMatch(named + line) ? [line] : [];
	const found: string[] = [];
	let isRepeated = false;
	for (let from = 0; from < line.length - OVERLAP; from += PIECE_CHARACTERS - OVERLAP) {
		const to = from + PIECE_CHARACTERS;
		// What the piece before has too was shown with it.
		const start = isRepeated ? from + OVERLAP : from;
		const before = line[start - 1] ?? named.slice(-1);
		const isFound = isMatch(line.slice(start, to), { before, after: line[to] ?? '' });
		if (isFound) found.push(`${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`);
		isRepeated = isFound;
	}
	const isNamed = found.length === 0 && named !== '' && isMatch(named, { before: '', after: line[0] ?? '' });
	return isNamed ? [beginning(line)] : found;
}

/** A line beside a match. */
export function beginning(line = ''): string {
	return line.length <= PIECE_CHARACTERS ? line : `${line.slice(0, PIECE_CHARACTERS)}…`;
}
