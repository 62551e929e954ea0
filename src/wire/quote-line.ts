/* A line of a foreign program as it may stand in a message of ours: short, on one line, without control characters. */
import { printableLine } from '../printable.ts';
import { STRAY_LINE_CHARACTERS } from './wire-limits.ts';

/** The beginning of `line`, with an ellipsis when that is not all. */
export function quoteLine(line: string): string {
	const head = printableLine(line.slice(0, STRAY_LINE_CHARACTERS)).trim();
	return line.length > STRAY_LINE_CHARACTERS ? `${head}…` : head;
}
