/*
 * Lists and dictionaries as Python prints them, as JSON. Database servers written in Python answer
 * with `str(rows)`. Quotes, `None`, `True`, `False` and tuples are rewritten; everything else, such
 * as an object, makes it no literal.
 */

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

function stringJson(inner: string): string {
	const value = inner.replace(/\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[\s\S])/g, (_all, escape: string) => {
		if (escape.length === 1) return { n: '\n', t: '\t', r: '\r' }[escape] ?? escape;
		return String.fromCodePoint(Math.min(Number.parseInt(escape.slice(1), 16), 0x10ffff));
	});
	return JSON.stringify(value);
}
