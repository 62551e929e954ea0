/*
 * The lines that `grep` and `count` go through. Of a long line only the pieces that match are
 * shown, under the number of the line. A pattern sees one piece at a time, because its time is
 * bounded by the length of its text.
 */
import type { TextEdges } from '../../../schema/bounded-pattern.ts';
import { PATTERN_CHARACTERS, PIECE_CHARACTERS } from '../result-limits.ts';

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
