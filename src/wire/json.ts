/* JSON as a type, and parsing that keeps what a double would lose. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Parse one line. A byte order mark at its start is forgiven. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
	if (text.startsWith(BYTE_ORDER_MARK)) return JSON.parse(text.slice(1));
	return JSON.parse(text);
}

/**
 * The exact text of a number under `key` in the outermost object of `text`, which
 * is known to be valid JSON. When the key is repeated the last one counts, as it
 * does for `JSON.parse`. A scan and not a regular expression: the line may be huge.
 */
export function numberTextOf(text: string, key: string): string | undefined {
	let found: string | undefined;
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const char = text[at];
		if (char === '{' || char === '[') depth++;
		else if (char === '}' || char === ']') depth--;
		else if (char === '"') {
			const end = endOfString(text, at);
			if (depth === 1 && text.slice(at + 1, end) === key) found = numberAfterColon(text, end + 1) ?? found;
			at = end;
		}
	}
	return found;
}

/** The texts of the elements of an array, which is known to be valid JSON; one that is empty has one empty text. */
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

/** Where the string that begins at `start` ends: the place of its closing quote. */
export function endOfString(text: string, start: number): number {
	let at = start + 1;
	while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
	return at;
}

function numberAfterColon(text: string, start: number): string | undefined {
	const pattern = /\s*:\s*(-?\d[\d.eE+-]*)/y;
	pattern.lastIndex = start;
	return pattern.exec(text)?.[1];
}
