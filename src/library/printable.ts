/* Names and URIs come from strangers; in a line of the log they must not start a new line or color the terminal. */

const CONTROL = /[\p{Cc}\u2028\u2029]/gu;
/** Longest text of a stranger that a line of the log shows, in characters. */
const SHOWN_CHARACTERS = 1_000;

/** `text` on one line: control characters as escapes, cut when very long. */
export function printable(text: string): string {
	const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
	return shown.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
