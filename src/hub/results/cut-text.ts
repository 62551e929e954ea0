/*
 * The first part of a text, cut at a sensible place: after a line, else after a word, never inside
 * a surrogate pair or an escape sequence of a terminal. Of an error the last lines are preserved too.
 */
import { ESCAPE_CHARACTERS } from './result-limits.ts';

/** A cut at the end of a line may leave this part of the room unused; else the line is cut. */
const LEAST_SHARE = 0.6;
/** The part of the room that the last lines of an error get. */
const TAIL_SHARE = 0.6;

/** Half of a surrogate pair becomes U+FFFD. */
export function wellFormed(text: string): string {
	return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The first part of a text, at most `limit` characters. */
export function firstPart(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const line = text.lastIndexOf('\n', limit - 1) + 1;
	if (line >= limit * LEAST_SHARE) return text.slice(0, line);
	const end = safeEnd(text, limit);
	const word = text.slice(0, end).replace(/\S{1,40}$/u, '').length;
	return text.slice(0, word >= end * LEAST_SHARE ? word : end);
}

/** The first and the last lines of a text, at most `limit` characters; the last lines get more of it. */
export function cutMiddle(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const gap = `\n[… ${text.length.toLocaleString('en-US')} characters in all …]\n`;
	const room = Math.max(0, limit - gap.length);
	const tail = lastPart(text, Math.floor(room * TAIL_SHARE));
	return `${firstPart(text, room - tail.length).replace(/\n$/, '')}${gap}${tail}`;
}

/** The last part of a text, at most `limit` characters, from the start of a line where there is one. */
export function lastPart(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const from = text.length - limit;
	const line = text.indexOf('\n', from - 1) + 1;
	if (line > 0 && text.length - line >= limit * LEAST_SHARE) return text.slice(line);
	return text.slice(safeStart(text, from));
}

/** The number of lines of a text; a line break at its end ends the last one. */
export function countLines(text: string): number {
	let lines = 0;
	for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
	return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

/** The place at or before `end` that is inside of nothing. */
function safeEnd(text: string, end: number): number {
	const at = escapeAround(text, end)?.start ?? end;
	return isLowSurrogate(text, at) ? at - 1 : at;
}

/** The place at or after `start` that is inside of nothing. */
function safeStart(text: string, start: number): number {
	const at = escapeAround(text, start)?.end ?? start;
	return isLowSurrogate(text, at) ? at + 1 : at;
}

/** The sequence that begins before a place and ends behind it: of a colour or a movement, or a longer one such as a link, to its terminator. */
function escapeAround(text: string, at: number): { start: number; end: number } | undefined {
	const from = Math.max(0, at - ESCAPE_CHARACTERS);
	for (const { 0: escape, index } of text.slice(from, at + ESCAPE_CHARACTERS).matchAll(ESCAPES)) {
		const [start, end] = [from + index, from + index + escape.length];
		if (start < at && end > at) return { start, end };
	}
	return undefined;
}

/* oxlint-disable-next-line no-control-regex -- it is about those */
const ESCAPES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[ -/]*[0-~])/g;

function isLowSurrogate(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code >= 0xdc00 && code <= 0xdfff;
}
