/*
 * A strict scan of a JSON text (RFC 8259) that records where members are, not what they are.
 *
 * It accepts what `JSON.parse` accepts, up to a depth. A loop with a stack of open containers
 * instead of recursion, so a deep text cannot exhaust the call stack. Strings are skipped by
 * sticky regular expressions, which run at the speed of a search.
 */
import {
	COMPARED_NAMES_LIMIT,
	MESSAGE_LEVELS,
	SCAN_PART_CHARACTERS,
	SHORT_STRING_CHARACTERS,
} from './wire-limits.ts';

/** A member to record, and the members to record inside it. */
export interface ScannedMember {
	readonly name: string;
	/** Its start is at `2 * slot` of the spans, its end behind that. */
	readonly slot: number;
	readonly inner?: readonly ScannedMember[] | undefined;
	/** Whether two members of one name are looked for in every object inside it. */
	readonly isChecked?: boolean | undefined;
	/** Whether `isCanonical` is about its value. */
	readonly isHashed?: boolean | undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const MINUS = 0x2d;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_U = 0x75;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
/** Integers with more digits may be written differently. */
const SHORT_DIGITS = 15;
/** What leads from an opening character to its closing one, for both kinds. */
const TO_CLOSING = 2;
const SPACE = 0x20;

/** A message, and its params or its result. */
const OUTER_LEVELS = 2;
const nothing: readonly ScannedMember[] = [];
const noSpans: number[] = [];

// JSON strings contain no raw control characters.
const plainCharacter = '[^"\\\\\\u0000-\\u001f]';
const PLAIN: RegExp = new RegExp(`${plainCharacter}*`, 'y');
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const PAIR = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/y;
const HALF = /\\u[dD][89a-fA-F]/y;
const SPACES = /[ \t]*/y;
const BLANKS = /[ \t\r\n]*/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Scans one text after the other. */
export class JsonScanner {
	/** Whether the outermost object, or one that is checked, has two members of one name. */
	hasEqualNames = false;
	/** Whether a string has half of a surrogate pair as an escape. */
	hasLoneSurrogate = false;
	/** Whether a line break is between two values. */
	hasLineBreak = false;
	/** Whether the value that is hashed is written as `JSON.stringify` writes it, with sorted names. */
	isCanonical = false;
	#text = '';
	#at = 0;
	#depth = 0;
	#spans: number[] = [];
	/** The most containers that may be open. */
	#levels = MESSAGE_LEVELS;
	/** The opening character of each open container. */
	readonly #opened = new Uint8Array(MESSAGE_LEVELS + 1);
	/** The members to record in the container at each depth, and the one whose value is read. */
	readonly #members: (readonly ScannedMember[] | undefined)[] = [];
	readonly #current: (ScannedMember | undefined)[] = [];
	/** Objects at this depth and below are checked for equal names. */
	#checkedDepth = Number.POSITIVE_INFINITY;
	readonly #names: SeenNames[] = [];
	#hasEscape = false;
	#outermost: readonly ScannedMember[] = [];
	/** A slice ends at the first value behind this, in a string that is a value, or at an escape of a name. */
	#stopAt = Number.POSITIVE_INFINITY;
	#isInString = false;
	/** A slice ended in the name that starts at `#nameStart`. */
	#isInName = false;
	#nameStart = 0;
	#isFirstName = false;
	/** True inside the value that is hashed, while it is canonical. */
	#isSoFar = false;
	/** The start and the end of the last name, for each depth. */
	readonly #lastNames = new Int32Array(2 * (MESSAGE_LEVELS + 1));

	/**
	 * Read the value at `start`, with the blanks around it. Returns where it ended. Throws `SyntaxError`.
	 * @param spans gets the positions of `members`; -1 in it means absent
	 */
	scan(text: string, start: number, members: readonly ScannedMember[], spans: number[]): number {
		this.begin(text, start, members, spans);
		this.run(Number.POSITIVE_INFINITY);
		return this.#at;
	}

	/**
	 * Read a value inside an object inside a message, of which nothing is recorded. Returns where it ended, with the
	 * blanks behind it. Throws `SyntaxError`.
	 * @param isHashed whether it is checked for equal names, and `isCanonical` is about it
	 */
	value(text: string, start: number, isHashed: boolean): number {
		this.begin(text, start, nothing, noSpans);
		this.#levels = MESSAGE_LEVELS - OUTER_LEVELS;
		if (isHashed) {
			this.#checkedDepth = 1;
			this.#isSoFar = true;
		}
		try {
			this.run(Number.POSITIVE_INFINITY);
		} finally {
			this.#levels = MESSAGE_LEVELS;
		}
		this.isCanonical = this.#isSoFar;
		return this.#at;
	}

	/** Where the value ended, after `run`. */
	get end(): number {
		return this.#at;
	}

	/** Like `scan`, in slices: `run` until it returns true. */
	begin(text: string, start: number, members: readonly ScannedMember[], spans: number[]): void {
		this.#text = text;
		this.#at = start;
		this.#depth = 0;
		this.#spans = spans;
		this.#checkedDepth = Number.POSITIVE_INFINITY;
		this.hasEqualNames = false;
		this.hasLoneSurrogate = false;
		this.hasLineBreak = false;
		this.isCanonical = false;
		this.#isSoFar = false;
		this.#outermost = members;
		this.#isInString = false;
		this.#isInName = false;
		this.#skipBlanks();
	}

	/** Scan about so many further characters; true at the end of the value. Throws `SyntaxError`. */
	run(characters: number): boolean {
		this.#stopAt = this.#at + characters;
		for (;;) {
			if (this.#isInName) this.#readNameRest();
			else if (this.#isInString) this.#skipStringRest();
			else this.#enter(this.#depth === 0 ? this.#outermost : this.#current[this.#depth]?.inner);
			if (this.#isInName || this.#isInString) return false;
			if (this.#leave()) break;
			if (this.#isInName || this.#at >= this.#stopAt) return false;
		}
		this.#text = '';
		return true;
	}

	/** Read a scalar, or open containers down to the first value that is one. */
	#enter(members: readonly ScannedMember[] | undefined): void {
		let inside = members;
		for (;;) {
			const code = this.#text.charCodeAt(this.#at);
			if (code === QUOTE) return this.#skipStringValue();
			if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return this.#skipLiteral();
			if (this.#depth === this.#levels)
				throw new SyntaxError(`nested deeper than ${MESSAGE_LEVELS} levels at position ${this.#at}`);
			this.#opened[++this.#depth] = code;
			this.#members[this.#depth] = code === OPEN_BRACE ? inside : undefined;
			this.#current[this.#depth] = undefined;
			this.#at++;
			this.#skipBlanks();
			if (this.#text.charCodeAt(this.#at) === code + TO_CLOSING) return; // empty: `leave` closes it
			if (code === OPEN_BRACE) this.#readName(true);
			if (this.#isInName) return;
			inside = this.#current[this.#depth]?.inner;
		}
	}

	/** A value ended: close containers until another value follows. True at the end of the outermost value. */
	#leave(): boolean {
		for (;;) {
			if (this.#depth === 0) {
				this.#skipBlanks();
				return true;
			}
			const member = this.#current[this.#depth];
			if (member !== undefined) this.#record(member);
			this.#skipBlanks();
			const code = this.#text.charCodeAt(this.#at);
			const opened = this.#opened[this.#depth];
			if (code === COMMA) {
				this.#at++;
				this.#skipBlanks();
				if (opened === OPEN_BRACE) this.#readName(false);
				return false;
			}
			if (opened === undefined || code !== opened + TO_CLOSING) this.#fail();
			this.#at++;
			this.#depth--;
		}
	}

	/** Read the name here and its colon, up to its value. */
	#readName(isFirst: boolean): void {
		const start = this.#at;
		if (this.#text.charCodeAt(start) !== QUOTE) this.#fail();
		this.#skipString();
		if (this.#isInName) {
			this.#nameStart = start;
			this.#isFirstName = isFirst;
		} else this.#nameRead(start, isFirst);
	}

	/** Read on in a name, down to the first value behind it that is a scalar. */
	#readNameRest(): void {
		this.#isInName = false;
		this.#skipToQuote();
		if (this.#isInName) return;
		this.#nameRead(this.#nameStart, this.#isFirstName);
		this.#enter(this.#current[this.#depth]?.inner);
	}

	#nameRead(start: number, isFirst: boolean): void {
		const end = this.#at;
		const depth = this.#depth;
		const members = this.#members[depth];
		const member = members && this.#find(members, start, end);
		if (depth === 1 || depth >= this.#checkedDepth) this.#checkName(start, end, isFirst);
		if (this.#isSoFar) this.#compareName(start, end, isFirst);
		this.#skipBlanks();
		if (this.#text.charCodeAt(this.#at) !== COLON) this.#fail();
		this.#at++;
		this.#skipBlanks();
		this.#current[depth] = member;
		if (member === undefined) return;
		if (this.#spans[2 * member.slot] !== -1) forget(member, this.#spans);
		this.#spans[2 * member.slot] = this.#at;
		if (member.isChecked) this.#checkedDepth = depth + 1;
		if (member.isHashed) this.#isSoFar = true;
	}

	/** The names of an object must rise. One with an escape is taken for one that does not. */
	#compareName(start: number, end: number, isFirst: boolean): void {
		const place = 2 * this.#depth;
		const before = this.#lastNames[place] ?? 0;
		const isAfter =
			isFirst || isRising(this.#text, { before, beforeEnd: this.#lastNames[place + 1] ?? 0, start, end });
		this.#isSoFar = isAfter && !this.#hasEscape;
		this.#lastNames[place] = start;
		this.#lastNames[place + 1] = end;
	}

	#find(members: readonly ScannedMember[], start: number, end: number): ScannedMember | undefined {
		if (this.#hasEscape) {
			const name = JSON.parse(this.#text.slice(start, end)) as string;
			return members.find((member) => member.name === name);
		}
		const length = end - start - 2;
		for (const member of members)
			if (member.name.length === length && this.#text.startsWith(member.name, start + 1)) return member;
		return undefined;
	}

	#record(member: ScannedMember): void {
		this.#spans[2 * member.slot + 1] = this.#at;
		if (member.isChecked) this.#checkedDepth = Number.POSITIVE_INFINITY;
		if (member.isHashed) {
			this.isCanonical = this.#isSoFar;
			this.#isSoFar = false;
		}
	}

	#checkName(start: number, end: number, isFirst: boolean): void {
		if (this.hasEqualNames) return;
		const names = (this.#names[this.#depth] ??= new SeenNames());
		if (isFirst) names.clear();
		this.hasEqualNames = names.add(this.#text, start, end, this.#hasEscape);
	}

	/** Skip, from its quote, a string that is a value, which may be long. */
	#skipStringValue(): void {
		if (this.#stopAt === Number.POSITIVE_INFINITY) return this.#skipString();
		this.#at++;
		this.#skipStringRest();
	}

	/** Inside a string that is a value: skip the rest of it, up to the end of the slice. */
	#skipStringRest(): void {
		for (;;) {
			const code = this.#text.charCodeAt(this.#at);
			this.#isInString = code !== QUOTE && this.#at >= this.#stopAt;
			if (this.#isInString) return;
			if (code === QUOTE) break;
			if (code === BACKSLASH) this.#skipEscape();
			else this.#skipPart();
		}
		this.#at++;
	}

	/** Skip plain characters of a long string, up to a bound. */
	#skipPart(): void {
		const part = this.#text.slice(this.#at, this.#at + SCAN_PART_CHARACTERS);
		PLAIN.lastIndex = 0;
		PLAIN.test(part);
		if (PLAIN.lastIndex === 0) this.#fail();
		this.#at += PLAIN.lastIndex;
	}

	/** Skip the string from its quote. A slice may end in it, if it is a name. */
	#skipString(): void {
		this.#hasEscape = false;
		this.#at++;
		this.#skipToQuote();
	}

	#skipToQuote(): void {
		for (;;) {
			const code = this.#skipPlain();
			if (code === QUOTE) break;
			if (code !== BACKSLASH) this.#fail();
			this.#hasEscape = true;
			this.#skipEscape();
			this.#isInName = this.#at >= this.#stopAt;
			if (this.#isInName) return;
		}
		this.#at++;
	}

	/** Returns the character that ends the plain ones. */
	#skipPlain(): number {
		const text = this.#text;
		const far = this.#at + SHORT_STRING_CHARACTERS;
		for (let at = this.#at; at < far; at++) {
			const code = text.charCodeAt(at);
			if (code > BACKSLASH || (code >= SPACE && code !== QUOTE && code !== BACKSLASH)) continue;
			this.#at = at;
			return code;
		}
		PLAIN.lastIndex = far;
		PLAIN.test(text);
		this.#at = PLAIN.lastIndex;
		return text.charCodeAt(this.#at);
	}

	#skipLiteral(): void {
		const start = this.#at;
		this.#skip(LITERAL);
		if (this.#isSoFar) this.#isSoFar = isCanonicalLiteral(this.#text, start, this.#at);
	}

	#skipEscape(): void {
		if (this.#isSoFar) {
			const code = this.#text.charCodeAt(this.#at + 1);
			this.#isSoFar = code !== LETTER_U && code !== SLASH;
		}
		if (this.#matches(HALF)) {
			if (this.#matches(PAIR)) {
				this.#at = PAIR.lastIndex;
				return;
			}
			this.hasLoneSurrogate = true;
		}
		this.#skip(ESCAPE);
	}

	#matches(pattern: RegExp): boolean {
		pattern.lastIndex = this.#at;
		return pattern.test(this.#text);
	}

	#skip(pattern: RegExp): void {
		if (!this.#matches(pattern)) this.#fail();
		this.#at = pattern.lastIndex;
	}

	#skipBlanks(): void {
		const far = this.#at + SHORT_STRING_CHARACTERS;
		while (this.#at < far) {
			const code = this.#text.charCodeAt(this.#at);
			if (code > SPACE) return;
			if (code === LINE_FEED || code === CARRIAGE_RETURN) this.hasLineBreak = true;
			else if (code !== SPACE && code !== TAB) return;
			this.#isSoFar = false;
			this.#at++;
		}
		this.#skipManyBlanks();
	}

	#skipManyBlanks(): void {
		this.#skip(SPACES);
		const end = this.#at;
		this.#skip(BLANKS);
		if (this.#at > end) this.hasLineBreak = true;
	}

	#fail(): never {
		const { length } = this.#text;
		if (this.#at >= length) throw new SyntaxError('the text ends in the middle of a JSON value');
		const found = JSON.stringify(this.#text[this.#at]);
		throw new SyntaxError(`unexpected ${found} at position ${this.#at}`);
	}
}

/** The last of two equal members counts, and so do the members inside it. */
function forget({ slot, inner = [] }: ScannedMember, spans: number[]): void {
	spans[2 * slot] = -1;
	spans[2 * slot + 1] = -1;
	for (const member of inner) forget(member, spans);
}

/** Whether a quoted name comes after the one before it, in UTF-16 code units as `Array.sort` compares them. */
function isRising(
	text: string,
	{ before, beforeEnd, start, end }: { before: number; beforeEnd: number; start: number; end: number },
): boolean {
	const length = Math.min(beforeEnd - before, end - start) - 1;
	for (let at = 1; at < length; at++) {
		const difference = text.charCodeAt(start + at) - text.charCodeAt(before + at);
		if (difference !== 0) return difference > 0;
	}
	return end - start > beforeEnd - before;
}

/** Whether `true`, `false`, `null` or a number is written as `JSON.stringify` writes it. */
function isCanonicalLiteral(text: string, start: number, end: number): boolean {
	const first = text.charCodeAt(start);
	if (first > NINE) return true; // a word
	let at = first === MINUS ? start + 1 : start;
	const isShort = end - at <= SHORT_DIGITS && !(first === MINUS && text.charCodeAt(at) === ZERO);
	while (isShort && at < end && text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at++;
	return at === end || JSON.stringify(Number(text.slice(start, end))) === text.slice(start, end);
}

/** The names of one object. */
class SeenNames {
	/** The start and the end of each name. */
	readonly #positions = new Int32Array(2 * COMPARED_NAMES_LIMIT);
	#count = 0;
	/** One bit for each name, by its length and its first and last characters: most names differ here. */
	#bits = 0;
	#set: Set<string> | undefined;

	clear(): void {
		this.#count = 0;
		this.#bits = 0;
		this.#set = undefined;
	}

	/** True when the object has this name already. */
	add(text: string, start: number, end: number, hasEscape: boolean): boolean {
		if (hasEscape || this.#count === COMPARED_NAMES_LIMIT) this.#set ??= this.#asSet(text);
		if (this.#set !== undefined) {
			const { size } = this.#set;
			const quoted = text.slice(start, end);
			this.#set.add(hasEscape ? (JSON.parse(quoted) as string) : quoted.slice(1, -1));
			return this.#set.size === size;
		}
		const bit = 1 << (end - start + text.charCodeAt(start + 1) + 7 * text.charCodeAt(end - 2));
		if ((this.#bits & bit) !== 0 && this.#has(text, start, end)) return true;
		this.#bits |= bit;
		this.#positions[2 * this.#count] = start;
		this.#positions[2 * this.#count + 1] = end;
		this.#count++;
		return false;
	}

	#has(text: string, start: number, end: number): boolean {
		const quoted = text.slice(start, end);
		for (let at = 0; at < this.#count; at++)
			if (text.startsWith(quoted, this.#positions[2 * at])) return true;
		return false;
	}

	#asSet(text: string): Set<string> {
		const names = new Set<string>();
		for (let at = 0; at < this.#count; at++)
			names.add(text.slice((this.#positions[2 * at] ?? 0) + 1, (this.#positions[2 * at + 1] ?? 0) - 1));
		return names;
	}
}
