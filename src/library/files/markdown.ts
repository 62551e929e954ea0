/*
 * What the library needs to know of a markdown text: its headings, the bullets
 * under a heading, its first paragraph. One walk over the lines; code between
 * fences is passed over, for a comment in a script is not a heading. Only the head
 * of a line is looked at, and only so many headings and bullets are stored: a line of
 * four megabytes of brackets must cost no more than any other.
 */
import { LINE_LIMIT_CHARACTERS, OUTLINE_LIMIT, RANKED_LIMIT_CHARACTERS } from './library-limits.ts';

export interface Outline {
	/** Text of the first heading. */
	title: string | undefined;
	headings: string[];
	/** Bullets by the lower-case heading they stand under. */
	bullets: ReadonlyMap<string, string[]>;
	/** First lines that are neither heading, bullet, quote nor code. */
	firstParagraph: string;
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(.+)$/;
const CLOSING_HASHES = /[ \t]+#+[ \t]*$/;
const BULLET = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(.+)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export function outlineOf(text: string): Outline {
	const headings: string[] = [];
	const bullets = new Map<string, string[]>();
	const paragraph: string[] = [];
	let isParagraphOver = false;
	for (const line of linesOutsideCode(text)) {
		const isProse = startsWithLetter(line);
		const heading = isProse ? undefined : HEADING.exec(line)?.[1];
		const bullet = isProse || heading !== undefined ? undefined : BULLET.exec(line)?.[1];
		if (heading !== undefined) keep(headings, () => plain(heading.replace(CLOSING_HASHES, '')));
		else if (bullet !== undefined) keep(bulletsUnder(bullets, headings.at(-1)), () => plain(bullet));
		const isText = heading === undefined && bullet === undefined && /^[^\s>|]/.test(line);
		if (isText && !isParagraphOver) keep(paragraph, () => line.trim());
		else if (paragraph.length > 0) isParagraphOver = true;
	}
	return { title: headings[0], headings, bullets, firstParagraph: plain(headOf(paragraph.join(' '))) };
}

function keep(list: string[], text: () => string): void {
	if (list.length < OUTLINE_LIMIT) list.push(text());
}

/** One character more than is stored, so that a cut shows. */
function headOf(text: string): string {
	return text.length > LINE_LIMIT_CHARACTERS ? text.slice(0, LINE_LIMIT_CHARACTERS) : text;
}

function bulletsUnder(bullets: Map<string, string[]>, heading = ''): string[] {
	const key = heading.toLowerCase();
	let list = bullets.get(key);
	if (!list) bullets.set(key, (list = []));
	return list;
}

function* linesOutsideCode(text: string): Generator<string> {
	let fence: string | undefined;
	for (const raw of text.slice(0, RANKED_LIMIT_CHARACTERS).split('\n')) {
		const line = headOf(raw).trimEnd();
		const mark = startsWithLetter(line) ? undefined : FENCE.exec(line)?.[1];
		if (fence !== undefined) {
			if (mark?.startsWith(fence)) fence = undefined;
			continue;
		}
		if (mark !== undefined) fence = mark;
		else yield line;
	}
}

/** Most lines do: they are no heading, bullet or fence. */
function startsWithLetter(line: string): boolean {
	const code = line.charCodeAt(0) | 0x20;
	return code >= 0x61 && code <= 0x7a;
}

/** Without emphasis, code marks and link targets. */
function plain(text: string): string {
	if (!/[[*`]/.test(text)) return text.trim();
	return text
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, (mark) => (mark.includes('_') ? mark : ''))
		.trim();
}
