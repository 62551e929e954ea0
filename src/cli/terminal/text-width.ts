/*
 * The number of columns of a string on a terminal, and truncation to fit.
 *
 * A column is not a character: Chinese, Japanese and Korean characters and emoji take
 * two, combining marks none, and one emoji may be seven code points. Intl.Segmenter
 * knows what belongs together; which of those are wide is the list below
 * (docs/dependencies.md says why this is no package).
 */

// Created at the first need: it loads tables, and most commands print ASCII alone.
let segmenter: Intl.Segmenter | undefined;

/** East Asian Wide and Fullwidth, by block. */
const WIDE =
	/^[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18D08}\u{1AFF0}-\u{1B2FB}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]/u;
const EMOJI = /^\p{Emoji_Presentation}|^\p{Emoji}.*[\uFE0F\u20E3]/u;
/** Nothing but marks, joiners and other characters without a width of their own. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const ASCII = /^[\u0020-\u007E]*$/;

/** Columns of `text` without line breaks. */
export function textWidth(text: string): number {
	if (ASCII.test(text)) return text.length;
	let width = 0;
	for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
	return width;
}

/** `text` with spaces up to `width` columns. */
export function padText(text: string, width: number): string {
	return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** `text` in at most `width` columns, never cut inside a character; a cut is shown as `…`. */
export function cutText(text: string, width: number): string {
	// No character takes more than two columns, so a short text needs no measuring.
	if (text.length * 2 <= width || textWidth(text) <= width) return text;
	let shown = '';
	let room = width - 1;
	for (const { segment } of graphemesOf(text)) {
		room -= graphemeWidth(segment);
		if (room < 0) break;
		shown += segment;
	}
	return `${shown}…`;
}

/** `text` in lines of at most `width` columns; a character that is wider has a line of its own. */
export function wrapText(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = '';
	let room = width;
	for (const { segment } of graphemesOf(text)) {
		const columns = graphemeWidth(segment);
		if (columns > room && line !== '') {
			lines.push(line);
			line = '';
			room = width;
		}
		line += segment;
		room -= columns;
	}
	return [...lines, line];
}

function graphemesOf(text: string): Intl.Segments {
	segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
	return segmenter.segment(text);
}

function graphemeWidth(grapheme: string): number {
	if (ZERO_WIDTH.test(grapheme)) return 0;
	return WIDE.test(grapheme) || EMOJI.test(grapheme) ? 2 : 1;
}
