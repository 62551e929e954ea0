/* Tables in text as JSON: values separated by commas, tabs or semicolons, and tables of Markdown. A cell that is a number is one. */
import { TABLE_LINES_CHECKED } from '../result-limits.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** An array of objects, as JSON; undefined when the text is no table. */
export function tableJson(text: string): string | undefined {
	const rows = markdownRows(text) ?? separatedRows(text);
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

function markdownRows(text: string): string[][] | undefined {
	const [, head = '', rule = ''] = /^\s*([^\n]*)\n([^\n]*)/.exec(text) ?? [];
	if (!head.includes('|') || !/^[\s|:+-]*-[\s|:+-]*$/.test(rule) || !/[|+]/.test(rule)) return undefined;
	const [, , ...body] = text.trimStart().split('\n');
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

function separatedRows(text: string): string[][] | undefined {
	const [head = ''] = text.split('\n', 1);
	const separator = [',', '\t', ';'].find((each) => head.includes(each));
	if (separator === undefined) return undefined;
	const cells = new CellReader(text, separator);
	const rows: string[][] = [];
	while (!cells.isAtEnd) {
		const row = cells.row();
		if (row === undefined) return undefined;
		if (row.length === 1 && row[0] === '') continue;
		rows.push(row);
		if (!isRowOf(rows[0] ?? [], row, rows.length)) return undefined;
	}
	return rows;
}

/** Whether a row may be the one of this number, from 1, in a table with these names. */
function isRowOf(names: readonly string[], row: readonly string[], number: number): boolean {
	if (number === 1)
		return names.every((name) => /^[\p{L}_][^\n]{0,60}$/u.test(name)) && new Set(names).size === names.length;
	return number <= TABLE_LINES_CHECKED ? row.length === names.length : row.length <= names.length;
}

/** Reads a text cell by cell, each character once: a quoted cell may have separators and lines in it. */
class CellReader {
	readonly #text: string;
	readonly #separator: string;
	readonly #plain: RegExp;
	#at = 0;

	constructor(text: string, separator: string) {
		this.#text = text;
		this.#separator = separator;
		this.#plain = new RegExp(`[^${separator}\\n]*`, 'y');
	}

	get isAtEnd(): boolean {
		return this.#at >= this.#text.length;
	}

	/** Undefined when a quote is open to the end of the text. */
	row(): string[] | undefined {
		const cells: string[] = [];
		for (;;) {
			const cell = this.#text[this.#at] === '"' ? this.#quoted() : this.#unquoted();
			if (cell === undefined) return undefined;
			cells.push(cell);
			const isLast = this.#text[this.#at] !== this.#separator;
			this.#at++;
			if (isLast) return cells;
		}
	}

	#unquoted(): string {
		this.#plain.lastIndex = this.#at;
		const [cell = ''] = this.#plain.exec(this.#text) ?? [];
		this.#at += cell.length;
		const isLast = this.#text[this.#at] !== this.#separator;
		return isLast && cell.endsWith('\r') ? cell.slice(0, -1) : cell;
	}

	/** A cell that goes on behind its quotes is taken as it is. */
	#quoted(): string | undefined {
		const text = this.#text;
		let end = text.indexOf('"', this.#at + 1);
		while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
		if (end === -1) return undefined;
		const after = text.startsWith('\r\n', end + 1) ? end + 2 : end + 1;
		if (after < text.length && text[after] !== '\n' && text[after] !== this.#separator)
			return this.#unquoted();
		const cell = text.slice(this.#at + 1, end).replaceAll('""', '"');
		this.#at = after;
		return cell;
	}
}
