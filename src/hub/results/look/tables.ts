/* Tables in text as JSON: values separated by commas, tabs or semicolons, and tables of Markdown. A cell that is a number is one. */
import { TABLE_LINES_CHECKED } from '../result-limits.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** An array of objects, as JSON; undefined when the lines are no table. */
export function tableJson(lines: readonly string[]): string | undefined {
	const rows = markdownRows(lines) ?? separatedRows(lines);
	const [names, ...records] = rows ?? [];
	if (names === undefined || records.length === 0) return undefined;
	return `[${records.map((cells) => rowJson(names, cells)).join(',')}]`;
}

function rowJson(names: readonly string[], cells: readonly string[]): string {
	const members = names.map((name, at) => `${JSON.stringify(name)}:${cellJson(cells[at])}`);
	return `{${members.join(',')}}`;
}

function cellJson(cell: string | undefined): string {
	if (cell === undefined || cell === '') return 'null';
	return NUMBER.test(cell) ? cell : JSON.stringify(cell);
}

function markdownRows(lines: readonly string[]): string[][] | undefined {
	const start = lines.findIndex((line) => line.trim() !== '');
	const [head = '', rule = ''] = lines.slice(start, start + 2);
	if (!head.includes('|') || !/^[\s|:+-]*-[\s|:+-]*$/.test(rule) || !/[|+]/.test(rule)) return undefined;
	const body = lines.slice(start + 2);
	const end = body.findIndex((line) => !line.includes('|'));
	// A table with text after it is text.
	if (
		end !== -1 &&
		body.slice(end).some((line) => line.trim() !== '' && !/^\(\d+ rows?\)$/.test(line.trim()))
	)
		return undefined;
	return [head, ...(end === -1 ? body : body.slice(0, end))].map(markdownCells);
}

function markdownCells(line: string): string[] {
	const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
	return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function separatedRows(lines: readonly string[]): string[][] | undefined {
	const [head = ''] = lines;
	const separator = [',', '\t', ';'].find((each) => head.includes(each));
	if (separator === undefined || lines.length < 2) return undefined;
	const rows: string[][] = [];
	let pending = '';
	for (const line of lines) {
		pending = pending === '' ? line : `${pending}\n${line}`;
		const cells = separatedCells(pending, separator);
		if (cells === undefined) continue; // a quoted cell goes on in the next line
		pending = '';
		rows.push(cells);
	}
	const [names = []] = rows;
	const areNames =
		names.every((name) => /^[\p{L}_][^\n]{0,60}$/u.test(name)) && new Set(names).size === names.length;
	const isEven = rows.slice(0, TABLE_LINES_CHECKED).every(({ length }) => length === names.length);
	return areNames && isEven && pending === '' ? rows : undefined;
}

/** Undefined while a quote is open. */
function separatedCells(line: string, separator: string): string[] | undefined {
	if (!line.includes('"')) return line.split(separator);
	const cells: string[] = [];
	let at = 0;
	for (;;) {
		if (line[at] !== '"') {
			const end = line.indexOf(separator, at);
			cells.push(line.slice(at, end === -1 ? undefined : end));
			if (end === -1) return cells;
			at = end + 1;
			continue;
		}
		let end = line.indexOf('"', at + 1);
		while (end !== -1 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
		if (end === -1) return undefined;
		cells.push(line.slice(at + 1, end).replaceAll('""', '"'));
		if (line[end + 1] !== separator) return cells;
		at = end + 2;
	}
}
