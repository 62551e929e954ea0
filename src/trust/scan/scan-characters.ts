/*
 * Characters that hide or reorder text, or that a terminal obeys. Those that a script
 * needs are left alone: joiners between emoji or in Persian and Indic words, marks in
 * text with Hebrew or Arabic letters, selectors after emoji.
 */
import { BIDIRECTIONAL, HIDDEN } from './plain-text.ts';
import type { ScanKind } from './scan-finding.ts';

/** A place in a text. */
export interface TextMatch {
	readonly kind: ScanKind;
	readonly from: number;
	readonly to: number;
}

/** C0 except tab, newline and carriage return; DEL and C1. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/gu;
/** Blanks that push text out of sight. */
const BLANKS = /[^\S\n]{200}|\n{30}/g;
const COMMENT = /<!--[\s\S]{0,400}?-->/g;
const JOINERS = new Set(['\u200C', '\u200D']);
const MARKS = new Set(['\u061C', '\u200E', '\u200F']);
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const joined =
	/[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}\uFE0F]/u;

/** The first place of each kind. */
export function scanCharacters(text: string): TextMatch[] {
	const found: (TextMatch | undefined)[] = [
		firstOf('hidden', text, HIDDEN, (at, char) => !isNeeded(text, at, char)) ??
			firstOf('hidden', text, BLANKS) ??
			firstOf('hidden', text, COMMENT),
		firstOf('bidirectional', text, BIDIRECTIONAL, (_, char) => !MARKS.has(char) || !rightToLeft.test(text)),
		firstOf('control', text, CONTROL),
	];
	return found.filter((match) => match !== undefined);
}

function firstOf(
	kind: ScanKind,
	text: string,
	pattern: RegExp,
	counts: (at: number, char: string) => boolean = () => true,
): TextMatch | undefined {
	for (const match of text.matchAll(pattern)) {
		if (counts(match.index, match[0])) return { kind, from: match.index, to: match.index + match[0].length };
	}
	return undefined;
}

/** A joiner between characters that it joins, or a selector after a character that has variants. */
function isNeeded(text: string, at: number, char: string): boolean {
	const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
	if (JOINERS.has(char)) return joined.test(before);
	const isSelector = char >= '\uFE00' && char <= '\uFE0E';
	return isSelector && !/[\p{Script=Latin}\p{Z}]/u.test(before) && before !== '';
}
