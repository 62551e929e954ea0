/* JSON as a type, and access to the source text of a member, for digits that a double would lose. */

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a record holds under a name of its own; a name that every object inherits finds nothing. */
export function ownEntry<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
	return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Parse one line; a leading byte order mark is skipped. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
	if (text.startsWith(BYTE_ORDER_MARK)) return JSON.parse(text.slice(1));
	return JSON.parse(text);
}

/**
 * The source text of the member at `path` in `text`, which must be valid JSON. The last of repeated keys counts, as
 * in `JSON.parse`. A scan and not a regular expression, because the line may be huge.
 */
export function memberText(text: string, ...path: string[]): string | undefined {
	let found: string | undefined = text;
	for (const key of path) found = found && memberOf(found, key);
	return found;
}

function memberOf(text: string, key: string): string | undefined {
	const range = memberRange(text, key);
	return range && text.slice(range.start, range.end).trim();
}

/** An object text with the member at `path` set, and everything else as it was written. Unchanged when something on the path is not an object. */
export function withMember(text: string, path: readonly string[], valueText: string): string {
	const [key, ...rest] = path;
	if (key === undefined) return valueText;
	if (!text.trimStart().startsWith('{')) return text;
	const range = memberRange(text, key);
	if (range) {
		const changed = withMember(text.slice(range.start, range.end), rest, valueText);
		return text.slice(0, range.start) + changed + text.slice(range.end);
	}
	const end = text.lastIndexOf('}');
	const before = text.slice(0, end).trimEnd();
	const separator = before.endsWith('{') ? '' : ',';
	return `${before}${separator}${JSON.stringify(key)}:${withMember('{}', rest, valueText)}${text.slice(end)}`;
}

/** An object text without the members at these paths, and everything else as it was written. */
export function withoutMembers(text: string, paths: readonly (readonly string[])[]): string {
	if (!text.trimStart().startsWith('{')) return text;
	const kept = membersOf(text).flatMap(({ key, keyAt, start, end }) => {
		const inner = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
		if (inner.some((rest) => rest.length === 0)) return [];
		if (inner.length === 0) return text.slice(keyAt, end);
		return text.slice(keyAt, start) + withoutMembers(text.slice(start, end), inner);
	});
	return `{${kept.join(',')}}`;
}

/** A member of an object text. */
interface MemberRange {
	readonly key: string;
	/** Where the quote of the key is. */
	readonly keyAt: number;
	/** Where the value is, with the blanks around it. */
	readonly start: number;
	readonly end: number;
}

function memberRange(text: string, key: string): MemberRange | undefined {
	return membersOf(text).findLast((member) => member.key === key);
}

function membersOf(text: string): MemberRange[] {
	const found: MemberRange[] = [];
	let depth = 0;
	let member: Omit<MemberRange, 'end'> | undefined;
	for (let at = 0; at < text.length; at++) {
		const char = text[at];
		if (member && depth === 1 && (char === ',' || char === '}')) {
			found.push({ ...member, end: at });
			member = undefined;
		}
		if (char === '{' || char === '[') depth++;
		else if (char === '}' || char === ']') depth--;
		else if (char === '"') {
			const end = endOfString(text, at);
			const colon = depth === 1 && member === undefined ? colonAfter(text, end) : -1;
			if (colon !== -1) member = { key: JSON.parse(text.slice(at, end + 1)), keyAt: at, start: colon + 1 };
			at = end;
		}
	}
	return found;
}

/** More than fifteen digits, or an exponent near the largest. */
const HARD_NUMBER = /\d[\d.]{15}|[:,[\s]-?\d[\d.]*[eE][+-]?\d{3}/;

/** Whether a text has a number that may not survive as a double. */
export function losesDigits(text: string): boolean {
	return HARD_NUMBER.test(text);
}

/** More than fifteen digits, a zero at the end of a fraction, an exponent. */
const REWRITTEN_NUMBER = /\d(?:[\d.]{15}|\.\d*0[\s,}\]]|(?:\.\d+)?[eE][+-]?\d+[\s,}\]])/;

/** Whether a text has a number that `JSON.stringify` would write in another way, such as `1.0`. It may be in a string. */
export function rewritesNumbers(text: string): boolean {
	return REWRITTEN_NUMBER.test(text);
}

/** The source texts of the members of an object, which must be valid JSON. The last of repeated keys counts. */
export function memberTexts(text: string): Map<string, string> {
	return new Map(membersOf(text).map(({ key, start, end }) => [key, text.slice(start, end).trim()]));
}

/** The source texts of the elements of an array, which must be valid JSON; `[]` gives one empty text. */
export function elementsOf(text: string): string[] {
	const elements: string[] = [];
	let depth = 0;
	let start = text.indexOf('[') + 1;
	for (let at = 0; at < text.length; at++) {
		const char = text[at];
		if (char === '"') at = endOfString(text, at);
		else if (char === '{' || char === '[') depth++;
		else if (char === '}' || char === ']') depth--;
		const isEnd = (char === ',' && depth === 1) || (char === ']' && depth === 0);
		if (!isEnd) continue;
		elements.push(text.slice(start, at).trim());
		start = at + 1;
	}
	return elements;
}

/** The index of the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
	for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
		let backslashes = 0;
		while (text[at - 1 - backslashes] === '\\') backslashes++;
		if (backslashes % 2 === 0) return at;
	}
	return text.length;
}

/** The index of the colon after a key; -1 when the string is a value. */
function colonAfter(text: string, end: number): number {
	const pattern = /\s*:/y;
	pattern.lastIndex = end + 1;
	return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}
