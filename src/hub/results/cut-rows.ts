/* Rows as Python prints them, which database servers answer with: the first ones, as such a list. */
import { pythonJson } from './look/python-literal.ts';
import { CUT_TRIES, ROWS_CHARACTERS } from './result-limits.ts';

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
