/*
 * Escape untrusted text for a terminal and for a log.
 *
 * The output of a tool, a server or a file name may contain control characters: escape
 * sequences move the cursor, set the title or inject keyboard input; C1 bytes do the
 * same without ESC; bidirectional overrides reorder the visible text; a newline forges
 * a log line. They are escaped, not removed, so that a reader sees that they were
 * there. Output to a pipe is not escaped.
 */
import { LOGGED_CHARACTERS } from './core-limits.ts';
import { attempt } from './errors.ts';

/** C0 except tab and newline, DEL, C1, line separators and bidirectional controls. */
const CONTROL =
	// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
	/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

const FIRST_GRAPHIC = 0x20;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
	['\n', '\\n'],
	['\r', '\\r'],
	['\t', '\\t'],
]);

/** Every character that has no picture of its own, or the picture of another one: all but the plain space. */
const INVISIBLE = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/gu;

const PLAIN_NAME = /^[\p{L}\p{N}_.$-]+$/u;

/** `text` with every control character except tab and newline escaped, such as `\x1b`. */
export function printable(text: string): string {
	return text.replace(CONTROL, escapeControl);
}

/** `text` on one line: tabs and newlines are escaped too. */
export function printableLine(text: string): string {
	return printable(text.replace(/[\n\r\t]/g, (char) => SHORT_ESCAPES.get(char) ?? char));
}

/** `text` on one line, truncated: for names and URIs in log lines. */
export function printableName(text: string): string {
	return printableLine(text.length > LOGGED_CHARACTERS ? `${text.slice(0, LOGGED_CHARACTERS)}…` : text);
}

/** JSON without control characters. It parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
	return printable(JSON.stringify(value, null, indent));
}

/**
 * JSON on one line in which every character but letters, marks, digits, punctuation, symbols and the plain space is an
 * escape. It parses to the same value, so a reader can tell an escape from the text of one.
 */
export function escapedJson(value: unknown): string {
	return escapedText(JSON.stringify(value) ?? 'null');
}

/** The name of an argument: as it is when it is letters, digits and `_.$-`, else in quotes, as `escapedJson`. */
export function escapedName(name: string): string {
	return PLAIN_NAME.test(name) && escapedText(name) === name ? name : escapedJson(name);
}

/** `text` on one line with the escapes of `escapedJson`: no line break, tab, bidirectional or other invisible character is left. */
export function escapedText(text: string): string {
	return text.replace(INVISIBLE, (char) =>
		Array.from({ length: char.length }, (_, at) => unicodeEscape(char.charCodeAt(at))).join(''),
	);
}

/** Above C0 the escape is JSON's `\\u`, because JSON strings may contain those characters unescaped. */
function escapeControl(char: string): string {
	const code = char.charCodeAt(0);
	return code < FIRST_GRAPHIC ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(code);
}

function unicodeEscape(code: number): string {
	return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A word as a POSIX shell reads it back. `•` stands for a secret. */
export function quoted(word: string): string {
	return /^[\w@%+=:,./•-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A text with its percent-encoding decoded; as it is when it has a percent sign that encodes nothing. */
export function percentDecoded(text: string): string {
	return attempt(() => decodeURIComponent(text), text);
}
