/* Edits of a text by offset, and what its lines look like. */

/** Replace the characters from `at` to `end` by `text`. */
export interface TextEdit {
	readonly at: number;
	readonly end: number;
	readonly text: string;
}

/** Apply edits that do not overlap. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
	return [...edits]
		.sort((a, b) => b.at - a.at)
		.reduce((result, { at, end, text: piece }) => result.slice(0, at) + piece + result.slice(end), text);
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Edit a text without its byte order mark, which is preserved. */
export function editWithoutMark(text: string, edit: (body: string) => string): string {
	return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + edit(text.slice(1)) : edit(text);
}

/** The line ending of the text: that of its first line. */
export function lineEnding(text: string): '\r\n' | '\n' {
	const at = text.indexOf('\n');
	return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** Where the line with the character at `at` starts. */
export function lineStart(text: string, at: number): number {
	return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** Where the next line starts, or the end of the text. */
export function nextLine(text: string, at: number): number {
	const newline = text.indexOf('\n', at);
	return newline === -1 ? text.length : newline + 1;
}

export function isBlank(text: string): boolean {
	return /^[ \t\r\n]*$/.test(text);
}
