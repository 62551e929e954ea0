/*
 * The form of a message: its text but for the values that differ from call to call.
 *
 * A client writes its calls in the same way every time, and so does a server its results. When
 * a text has the pieces of a form, with a value between each two of them, it is as valid as the
 * text that the form was made of, and every member is where it was there, moved by the lengths
 * of the values before it. So only those values are scanned. Whatever does not fit is scanned as
 * a whole: a form says nothing that a scan would not.
 */
import type { JsonScanner } from './json-scanner.ts';
import { MEMBER_COUNT, type MessageMember, member } from './message-member.ts';
import { FORM_CHARACTERS } from './wire-limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
/** Integers with more digits may not be what a double holds. */
const KEY_DIGITS = 15;
const NO_END = -1;

/** The members that differ: keys first, whose text is compared, then values, which are scanned. */
const keys: readonly MessageMember[] = [member.id, member.name, member.progressToken];
const values: readonly MessageMember[] = [member.arguments, member.content, member.structuredContent];

/** A value of a form that is filled in by each text. */
interface Hole {
	readonly member: MessageMember;
	/** The text before it, from the hole before. */
	readonly before: string;
	/** Where it ended in the text that the form was made of. */
	readonly end: number;
	/** The class of its first character. */
	readonly opens: number;
}

export class MessageForm {
	/** The start and the end of each member in the text that it was made of; -1 for an absent one. */
	readonly spans: readonly number[];
	/** The number of holes that end before each of these positions or at it. */
	readonly gaps: readonly number[];
	readonly #holes: readonly Hole[];
	readonly #tail: string;

	private constructor(text: string, spans: readonly number[], members: readonly MessageMember[]) {
		const holes: Hole[] = [];
		let from = 0;
		for (const each of members) {
			const [start = 0, end = 0] = [spans[2 * each], spans[2 * each + 1]];
			const opens = opening(text.charCodeAt(start));
			holes.push({ member: each, before: detached(text.slice(from, start)), end, opens });
			from = end;
		}
		this.#holes = holes;
		this.#tail = detached(text.slice(from));
		this.spans = spans.slice();
		this.gaps = spans.map((position) => holes.filter(({ end }) => end <= position).length);
	}

	/** The form of a valid text; undefined when a value that differs is not as others are. */
	static of(text: string, spans: readonly number[]): MessageForm | undefined {
		if (text.length > FORM_CHARACTERS) return undefined;
		const present = [...keys, ...values].filter((each) => spans[2 * each] !== -1);
		// Canonical are the arguments: nothing else is scanned beside them.
		if (present.includes(member.arguments) && present.includes(member.content)) return undefined;
		for (const each of present) {
			const start = spans[2 * each] ?? 0;
			const opens = opening(text.charCodeAt(start));
			const isKey = keys.includes(each);
			const end = isKey ? endOfKey(text, start) : spans[2 * each + 1];
			if (opens === 0 || end !== spans[2 * each + 1] || isKey !== (opens === QUOTE || opens === ZERO))
				return undefined;
		}
		return new MessageForm(
			text,
			spans,
			present.toSorted((one, other) => (spans[2 * one] ?? 0) - (spans[2 * other] ?? 0)),
		);
	}

	/**
	 * Whether a text has this form. Throws `SyntaxError` for a value that is none.
	 * @param shifts gets, for each gap, by how much the positions there are moved
	 */
	fits(text: string, scanner: JsonScanner, shifts: number[]): boolean {
		let at = 0;
		for (let index = 0; index < this.#holes.length; index++) {
			const hole = this.#holes[index];
			if (hole === undefined || !text.startsWith(hole.before, at)) return false;
			at += hole.before.length;
			if (opening(text.charCodeAt(at)) !== hole.opens) return false;
			at =
				hole.opens === QUOTE || hole.opens === ZERO ? endOfKey(text, at) : scanned(text, at, hole, scanner);
			if (at === NO_END) return false;
			shifts[index + 1] = at - hole.end;
		}
		return text.length === at + this.#tail.length && text.endsWith(this.#tail);
	}
}

/** Where a value ends; `NO_END` when another parser may read it differently, or blanks are behind it. */
function scanned(text: string, at: number, hole: Hole, scanner: JsonScanner): number {
	const end = scanner.value(text, at, hole.member === member.arguments);
	const isPlain = !scanner.hasEqualNames && !scanner.hasLoneSurrogate && !scanner.hasLineBreak;
	return isPlain && text.charCodeAt(end - 1) > SPACE ? end : NO_END;
}

/** The first character of a value, with one for all digits; 0 for a value that is no hole. */
function opening(code: number): number {
	if (code >= ZERO && code <= NINE) return ZERO;
	return code === QUOTE || code === OPEN_BRACE || code === OPEN_BRACKET ? code : 0;
}

/** Where an integer that a double holds, or a string without escapes, ends; `NO_END` for another value. */
function endOfKey(text: string, start: number): number {
	const first = text.charCodeAt(start);
	let at = start + 1;
	if (first === QUOTE) {
		for (;;) {
			const code = text.charCodeAt(at++);
			if (code === QUOTE) return at;
			if (!(code >= SPACE) || code === BACKSLASH) return NO_END;
		}
	}
	for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) at++;
	const digits = at - start;
	return digits > KEY_DIGITS || (first === ZERO && digits > 1) ? NO_END : at;
}

/** A copy, which does not keep the message in memory that it was cut from. */
function detached(text: string): string {
	return JSON.parse(JSON.stringify(text)) as string;
}

/** The layout of a text that has no form. */
export const noGaps: readonly number[] = Array.from({ length: 2 * MEMBER_COUNT }, () => 0);
