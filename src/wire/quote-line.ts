/* Quote a line of another program in one of our messages: truncated, on one line, control characters escaped. */
import { printableLine } from '../printable.ts';
import { STRAY_LINE_CHARACTERS } from './wire-limits.ts';

/** The start of `line`, with an ellipsis when it is truncated. */
export function quoteLine(line: string): string {
	const head = printableLine(line.slice(0, STRAY_LINE_CHARACTERS)).trim();
	return line.length > STRAY_LINE_CHARACTERS ? `${head}…` : head;
}
