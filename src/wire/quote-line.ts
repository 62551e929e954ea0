/* Quote a line of another program in one of our messages: truncated, on one line, control characters escaped. */
import { printableLine } from '../printable.ts';
import { redact } from '../redact.ts';
import { REDACTED_LINE_CHARACTERS, STRAY_LINE_CHARACTERS } from './wire-limits.ts';

/** The start of `line` without secrets, with an ellipsis when it is truncated. */
export function quoteLine(text: string): string {
	const line = redact(text.slice(0, REDACTED_LINE_CHARACTERS));
	const head = printableLine(line.slice(0, STRAY_LINE_CHARACTERS)).trim();
	return line.length > STRAY_LINE_CHARACTERS ? `${head}…` : head;
}
