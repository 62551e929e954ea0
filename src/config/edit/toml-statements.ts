/*
 * Where the statements of a TOML text are: table headers and key/value pairs, each with
 * its whole key path and the offsets of its lines. The text must be valid: smol-toml has
 * parsed it before, and reads the keys here.
 */
import { createRequire } from 'node:module';
import type * as Toml from 'smol-toml';
import { isObject } from '../../wire/json.ts';
import { nextLine } from './text-edits.ts';

export interface TomlStatement {
	readonly kind: 'table' | 'pair';
	/** The path from the top of the file; that of a pair begins with its table. */
	readonly path: readonly string[];
	/** Where its first line starts, and where the line after its last one does. */
	readonly start: number;
	readonly end: number;
}

/** smol-toml, loaded on first use. */
export function tomlLibrary(): typeof Toml {
	return createRequire(import.meta.url)('smol-toml') as typeof Toml;
}

export function tomlStatements(text: string): TomlStatement[] {
	const statements: TomlStatement[] = [];
	let table: readonly string[] = [];
	for (let start = 0; start < text.length; ) {
		const at = skipBlanks(text, start);
		const char = text[at];
		if (char === undefined || char === '#' || char === '\n' || char === '\r') {
			start = nextLine(text, at);
			continue;
		}
		const isTable = char === '[';
		const keyAt = isTable ? at + (text[at + 1] === '[' ? 2 : 1) : at;
		const keyEnd = endOfKey(text, keyAt, isTable ? ']' : '=');
		const path = keyPath(text.slice(keyAt, keyEnd));
		const end = nextLine(text, isTable ? keyEnd : endOfValue(text, keyEnd + 1));
		if (isTable) table = path;
		statements.push({
			kind: isTable ? 'table' : 'pair',
			path: isTable ? path : [...table, ...path],
			start,
			end,
		});
		start = end;
	}
	return statements;
}

function skipBlanks(text: string, start: number): number {
	let at = start;
	while (text[at] === ' ' || text[at] === '\t') at++;
	return at;
}

/** The index of `stop` behind a key, whose quoted parts may contain it. */
function endOfKey(text: string, start: number, stop: string): number {
	let at = start;
	while (at < text.length && text[at] !== stop) at = isQuote(text[at]) ? endOfText(text, at) : at + 1;
	return at;
}

function keyPath(key: string): string[] {
	const path: string[] = [];
	let inner: unknown = tomlLibrary().parse(`${key} = 0`);
	while (isObject(inner)) {
		const [name = ''] = Object.keys(inner);
		path.push(name);
		inner = inner[name];
	}
	return path;
}

/** The end of the line on which a value ends: brackets and strings may contain line breaks. */
function endOfValue(text: string, start: number): number {
	let depth = 0;
	for (let at = start; at < text.length; ) {
		const char = text[at] ?? '';
		if (char === '\n' && depth === 0) return at;
		if (isQuote(char)) at = endOfText(text, at);
		else if (char === '#') at = endOfLine(text, at);
		else {
			if (char === '[' || char === '{') depth++;
			if (char === ']' || char === '}') depth--;
			at++;
		}
	}
	return text.length;
}

function endOfLine(text: string, at: number): number {
	const newline = text.indexOf('\n', at);
	return newline === -1 ? text.length : newline;
}

function isQuote(char: string | undefined): boolean {
	return char === '"' || char === "'";
}

/** Behind a string of any of the four kinds. */
function endOfText(text: string, start: number): number {
	const quote = text[start] ?? '';
	const isLong = text.startsWith(quote.repeat(3), start);
	const closing = isLong ? quote.repeat(3) : quote;
	let at = start + closing.length;
	while (at < text.length && !text.startsWith(closing, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
	at += closing.length;
	// Up to two quotes may stand before the closing three.
	if (isLong) for (let more = 0; more < 2 && text[at] === quote; more++) at++;
	return at;
}
