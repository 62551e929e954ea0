/*
 * The format of a stored text: JSON, lines of JSON, a table, or lines of text. Its value is what `select`
 * sees: a table is an array of objects, a text is an array of its lines.
 */
import { isObject } from '../../../wire/json.ts';
import { ExactJson } from './exact-numbers.ts';
import { pythonJson } from './python-literal.ts';
import { tableJson } from './table-json.ts';

/** The part of the lines of JSON that may be something else, such as the one that was cut off; each is a string. */
const OTHER_LINES = 0.1;

export type DocumentKind = 'json' | 'ndjson' | 'table' | 'text';

/** A part of a document that is a list of its own. */
export interface Records {
	/** Where it is; empty for the whole document. */
	readonly path: string;
	readonly items: readonly unknown[];
}

export class LookDocument {
	readonly kind: DocumentKind;
	readonly text: string;
	readonly json: ExactJson;
	#lines: readonly string[] | undefined;

	constructor(text: string) {
		this.text = text.replace(/^\uFEFF/, '');
		const read = readJson(this.text) ?? readLines(this.text) ?? parsed('table', tableJson(this.text));
		this.kind = read?.kind ?? 'text';
		// The lines of a text need no exactness.
		this.json = read?.json ?? new ExactJson('null');
	}

	get value(): unknown {
		return this.kind === 'text' ? this.lines : this.json.value;
	}

	get lines(): readonly string[] {
		this.#lines ??= linesOf(this.text);
		return this.#lines;
	}

	/** The records that `head`, `tail` and `range` count; undefined when those are lines. */
	get records(): Records | undefined {
		if (this.kind === 'text') return undefined;
		const { value } = this.json;
		if (Array.isArray(value)) return { path: '', items: value };
		if (!isObject(value)) return undefined;
		const lists = Object.entries(value).filter(([, each]) => Array.isArray(each) && each.length > 1);
		const [only] = lists;
		// `Array.isArray` was tested above.
		return lists.length === 1 && only ? { path: only[0], items: only[1] as unknown[] } : undefined;
	}
}

type Read = { readonly kind: DocumentKind; readonly json: ExactJson };

function readJson(text: string): Read | undefined {
	if (!/^\s*[[{]/.test(text)) return undefined;
	return parsed('json', text) ?? parsed('json', pythonJson(text));
}

function readLines(text: string): Read | undefined {
	if (!/^\s*[[{]/.test(text)) return undefined;
	const lines = linesOf(text).filter((line) => line.trim() !== '');
	if (lines.length < 2) return undefined;
	let others = 0;
	const records: string[] = [];
	for (const line of lines) {
		const isRecord = /^\s*[[{]/.test(line) && parsed('json', line) !== undefined;
		if (!isRecord && ++others > lines.length * OTHER_LINES) return undefined;
		records.push(isRecord ? line : JSON.stringify(line));
	}
	return parsed('ndjson', `[${records.join(',')}]`);
}

function parsed(kind: DocumentKind, text: string | undefined): Read | undefined {
	if (text === undefined) return undefined;
	try {
		return { kind, json: new ExactJson(text) };
	} catch {
		return undefined;
	}
}

function linesOf(text: string): string[] {
	const lines = text.split(/\r?\n/);
	if (lines.at(-1) === '') lines.pop();
	return lines;
}
