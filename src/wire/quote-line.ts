/* A line of a foreign program as it may stand in a message of ours: short, and without control characters. */
import { STRAY_LINE_CHARACTERS } from './limits.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const control = /[\u0000-\u001F\u007F-\u009F]+/g;

/** The beginning of `line`, with an ellipsis when that is not all. */
export function quoteLine(line: string): string {
	const head = line.slice(0, STRAY_LINE_CHARACTERS).replace(control, ' ').trim();
	return line.length > STRAY_LINE_CHARACTERS ? `${head}…` : head;
}
