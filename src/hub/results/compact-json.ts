/*
 * Arrays of objects with the same keys as tables: `{"columns":["id","name"],"rows":[[1,"a"],[2,"b"]]}`.
 *
 * The whole text, or members of its object, when that is smaller and means the same: what the table
 * stands for is compared with the original. Values stay as the server wrote them.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../wire/json.ts';
import { elementsOf, memberSpans } from '../../wire/json-text.ts';

/** Fewer records are not worth a table. */
const LEAST_ROWS = 3;

/** Shorter JSON of the same meaning; undefined when there is none. */
export function compactJson(text: string): string | undefined {
	try {
		const trimmed = text.trim();
		const value: unknown = JSON.parse(trimmed);
		const compact = trimmed.startsWith('[') ? tableOf(trimmed) : withTables(trimmed);
		if (compact === undefined || compact.length >= text.length) return undefined;
		return isDeepStrictEqual(expanded(JSON.parse(compact)), value) ? compact : undefined;
	} catch {
		return undefined; // no JSON, or nested too deeply
	}
}

/** The array, or the object with arrays, that a text with tables stands for. */
function expanded(value: unknown): unknown {
	if (!isObject(value)) return value;
	const rows = rowsOf(value);
	if (rows) return rows;
	const members = Object.entries(value).map(([name, each]) => [
		name,
		(isObject(each) && rowsOf(each)) || each,
	]);
	return Object.fromEntries(members);
}

function rowsOf({ columns, rows, ...others }: Readonly<Record<string, unknown>>): unknown[] | undefined {
	if (!Array.isArray(columns) || !Array.isArray(rows) || Object.keys(others).length > 0) return undefined;
	return rows.map((row: unknown) =>
		Object.fromEntries(columns.map((name, at) => [name, Array.isArray(row) ? row[at] : undefined])),
	);
}

function withTables(text: string): string | undefined {
	let isChanged = false;
	const members = memberSpans(text).map(({ at, start, end }) => {
		const table = tableOf(text.slice(start, end).trim());
		isChanged ||= table !== undefined;
		return table === undefined ? text.slice(at, end).trim() : `${text.slice(at, start).trim()}${table}`;
	});
	return isChanged ? `{${members.join(',')}}` : undefined;
}

function tableOf(text: string): string | undefined {
	if (!text.startsWith('[')) return undefined;
	const elements = elementsOf(text);
	if (elements.length < LEAST_ROWS || !elements.every((element) => element.startsWith('{'))) return undefined;
	const rows = elements.map((element) =>
		memberSpans(element).map(({ name, start, end }) => ({ name, value: element.slice(start, end).trim() })),
	);
	const columns = (rows[0] ?? []).map(({ name }) => name);
	const isUniform = rows.every(
		(row) => row.length === columns.length && row.every(({ name }, at) => name === columns[at]),
	);
	if (!isUniform || columns.length === 0) return undefined;
	const written = rows.map((row) => `[${row.map(({ value }) => value).join(',')}]`);
	return `{"columns":${JSON.stringify(columns)},"rows":[${written.join(',')}]}`;
}
