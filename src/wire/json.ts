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

/** Where the value of a member is, with the blanks around it. */
function memberRange(text: string, key: string): { start: number; end: number } | undefined {
	let found: { start: number; end: number } | undefined;
	let depth = 0;
	let valueAt = -1;
	for (let at = 0; at < text.length; at++) {
		const char = text[at];
		const isEndOfValue = depth === 1 && (char === ',' || char === '}');
		if (isEndOfValue && valueAt !== -1) {
			found = { start: valueAt, end: at };
			valueAt = -1;
		}
		if (char === '{' || char === '[') depth++;
		else if (char === '}' || char === ']') depth--;
		else if (char === '"') {
			const end = endOfString(text, at);
			const colon = depth === 1 && valueAt === -1 ? colonAfter(text, end) : -1;
			if (colon !== -1 && JSON.parse(text.slice(at, end + 1)) === key) valueAt = colon + 1;
			at = end;
		}
	}
	return found;
}

/** Whether a text has a number of more than fifteen digits, which may not survive as a double. */
export function losesDigits(text: string): boolean {
	return /\d{16}|\d\.\d{15}/.test(text);
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
	let at = start + 1;
	while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
	return at;
}

/** The index of the colon after a key; -1 when the string is a value. */
function colonAfter(text: string, end: number): number {
	const pattern = /\s*:/y;
	pattern.lastIndex = end + 1;
	return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}
