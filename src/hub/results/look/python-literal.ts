/*
 * Lists and dictionaries as Python prints them, as JSON. Database servers written in Python answer
 * with `str(rows)`. Quotes, `None`, `True`, `False` and tuples are rewritten; everything else, such
 * as an object, makes it no literal.
 */
import { CUT_TRIES, ROWS_CHARACTERS } from '../result-limits.ts';

/** A comma before `)` is that of a tuple with one member. */
const TOKENS =
	/,(?=\s*\))|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\b(None|True|False)\b|([()])|([[\]{}:,\s]|-?\d[\d.eE+-]*)|(.)/gsu;
const literals: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' };

/** Undefined when it is none. The caller parses the result. */
export function pythonJson(text: string): string | undefined {
	if (!/^\s*(?:[[{]\s*)+['"(\d{]/.test(text)) return undefined;
	let isOther = false;
	const json = text.replace(TOKENS, (token, ...groups) => {
		const [single, double, word, round, plain] = groups as readonly (string | undefined)[];
		if (token === ',' && plain === undefined) return '';
		if (plain !== undefined) return token;
		if (single !== undefined || double !== undefined) return stringJson(single ?? double ?? '');
		if (word !== undefined) return literals[word] ?? 'null';
		if (round !== undefined) return round === '(' ? '[' : ']';
		isOther = true;
		return token;
	});
	return isOther ? undefined : json;
}

/** The rows of a list that Python printed; undefined when it is none, or too long to be read here. */
export function pythonRows(text: string): readonly unknown[] | undefined {
	const json = text.length > ROWS_CHARACTERS ? undefined : pythonJson(text);
	if (json === undefined) return undefined;
	try {
		const rows: unknown = JSON.parse(json);
		return Array.isArray(rows) ? rows : undefined;
	} catch {
		return undefined;
	}
}

/** The list with as many rows as fit, in the characters of the server; undefined when none does. */
export function cutRows(text: string, limit: number): { shown: string; rows: number } | undefined {
	let end = limit - 1;
	// What looks like the end of a row may be inside a string, so those before it are tried too.
	for (let tries = 0; tries < CUT_TRIES; tries++) {
		end = Math.max(text.lastIndexOf('}, {', end - 1), text.lastIndexOf('), (', end - 1));
		if (end < 1) return undefined;
		const shown = `${text.slice(0, end + 1)}]`;
		const rows = pythonRows(shown)?.length;
		if (rows !== undefined) return { shown, rows };
	}
	return undefined;
}

function stringJson(inner: string): string {
	const value = inner.replace(/\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[\s\S])/g, (_all, escape: string) => {
		if (escape.length === 1) return { n: '\n', t: '\t', r: '\r' }[escape] ?? escape;
		return String.fromCodePoint(Math.min(Number.parseInt(escape.slice(1), 16), 0x10ffff));
	});
	return JSON.stringify(value);
}
