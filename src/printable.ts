/*
 * Text from outside, made safe for a terminal and for a log.
 *
 * A tool, a server, a file name or a log line may hold control characters: escape
 * sequences move the cursor, set the title or answer for the keyboard; C1 bytes do
 * the same without ESC; bidirectional overrides show one text and mean another; a
 * newline forges a log line. They are shown as codes, not dropped, so that a reader
 * sees that something was there. Bytes that go to a pipe are not our business.
 */

/** C0 but tab and newline, DEL, C1, line separators, and the controls of text direction. */
const CONTROL =
	// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
	/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

const FIRST_GRAPHIC = 0x20;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
	['\n', '\\n'],
	['\r', '\\r'],
	['\t', '\\t'],
]);

/** `text` with every control character but tab and newline shown as a code, such as `\x1b`. */
export function printable(text: string): string {
	return text.replace(CONTROL, shown);
}

/** `text` on one line: tabs and newlines are shown as codes too. */
export function printableLine(text: string): string {
	return printable(text.replace(/[\n\r\t]/g, (char) => SHORT_ESCAPES.get(char) ?? char));
}

/** Longest text from outside that a line of the log shows, in characters. */
const LOGGED_CHARACTERS = 1_000;

/** `text` on one line, cut when it is very long: names and URIs in log lines. */
export function printableName(text: string): string {
	return printableLine(text.length > LOGGED_CHARACTERS ? `${text.slice(0, LOGGED_CHARACTERS)}…` : text);
}

/** JSON that a terminal shows as it is. Any parser reads the same value from it. */
export function printableJson(value: unknown, indent?: number): string {
	return printable(JSON.stringify(value, null, indent));
}

/** Above C0 in the form of JSON, whose texts may hold those characters: what is shown still parses. */
function shown(char: string): string {
	const code = char.charCodeAt(0);
	return code < FIRST_GRAPHIC
		? `\\x${code.toString(16).padStart(2, '0')}`
		: `\\u${code.toString(16).padStart(4, '0')}`;
}
