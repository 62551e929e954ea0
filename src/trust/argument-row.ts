/*
 * The arguments of a call as a user reads them before a decision: one row for each, its
 * name and its value apart.
 *
 * A value is JSON on one line in which every line break, tab, bidirectional and other
 * invisible character is an escape, so no value can look like a second row, or like the
 * end of the list. Short arguments come first: a long one cannot push another out of
 * sight. A long one has its length and its hash, and a shortened one says so.
 */
import { sha256 } from '../files/sha256.ts';
import { escapedJson, escapedName, escapedText } from '../printable.ts';
import { redact, redactJson } from '../redact.ts';
import { canonicalSha256 } from '../wire/canonical-json.ts';
import { isObject } from '../wire/json.ts';
import {
	SHOWN_NAME_CHARACTERS,
	SHOWN_ROWS_LIMIT,
	SHOWN_SHORT_CHARACTERS,
	SHOWN_TEXT_CHARACTERS,
} from './trust-limits.ts';

/** One argument of a call. */
export interface ArgumentRow {
	/** The same as `escapedName`, without secrets. */
	readonly name: string;
	/** JSON on one line, without secrets and invisible characters. */
	readonly text: string;
	/** Characters of the real value: those of a string, or of the JSON of another value. */
	readonly characters: number;
	/** The hash of the real value: of the UTF-8 of a string, or of the canonical JSON of another value. */
	readonly sha256: string;
	/** Too long to be read at a glance: it is shown folded. */
	readonly isLong: boolean;
	/** Characters at the end of the value that are not in `text`. */
	readonly leftOut: number;
	/** Whether a secret was replaced in `text`. */
	readonly hasSecret: boolean;
}

/** The arguments of a call, the short ones first, otherwise in their order. */
export function argumentRows(input: unknown): ArgumentRow[] {
	if (input === undefined) return [];
	if (!isObject(input)) return [summaryRow('(all arguments)', input, SHOWN_TEXT_CHARACTERS)];
	const entries = Object.entries(input);
	const all = entries.map(([name, value]) => ({ name, value, ...measured(name, value) }));
	const sorted = [...all.filter(({ isLong }) => !isLong), ...all.filter(({ isLong }) => isLong)];
	const rows = sorted.slice(0, SHOWN_ROWS_LIMIT);
	const more = sorted.slice(SHOWN_ROWS_LIMIT);
	const share = Math.floor(SHOWN_TEXT_CHARACTERS / Math.max(1, rows.filter(({ isLong }) => isLong).length));
	const shown = rows.map(({ name, value, ...size }) => ({
		name: shownName(name),
		...size,
		...shownValue(value, share),
	}));
	if (more.length === 0) return shown;
	const rest = Object.fromEntries(more.map(({ name, value }) => [name, value]));
	return [...shown, { ...summaryRow(`(${more.length} more arguments)`, rest, share), isLong: true }];
}

/** Whether a value that was read from a file is one. */
export function isArgumentRow(value: unknown): value is ArgumentRow {
	return (
		isObject(value) &&
		['name', 'text', 'sha256'].every((key) => typeof value[key] === 'string') &&
		['characters', 'leftOut'].every((key) => Number.isSafeInteger(value[key])) &&
		['isLong', 'hasSecret'].every((key) => typeof value[key] === 'boolean')
	);
}

/** How a value that is not shown whole, or not at a glance, is described. */
export function sizeText({ characters, sha256: hash }: Pick<ArgumentRow, 'characters' | 'sha256'>): string {
	return `${characters.toLocaleString('en')} characters, SHA-256 ${hash}`;
}

/** The row on one line with at most `limit` characters of the value. What is left out is said, with length and hash. */
export function argumentLine(argument: ArgumentRow, limit: number): string {
	const { name, text, leftOut } = argument;
	if (text.length <= limit && leftOut === 0) return `${name}: ${text}`;
	return `${name}: (the start of ${sizeText(argument)}) ${text.slice(0, limit)}…`;
}

function measured(name: string, value: unknown): Pick<ArgumentRow, 'characters' | 'sha256' | 'isLong'> {
	const json = JSON.stringify(value) ?? 'null';
	const text = typeof value === 'string' ? value : json;
	return {
		characters: text.length,
		sha256: typeof value === 'string' ? sha256(value) : canonicalSha256(value),
		// Escapes are longer than what they stand for.
		isLong:
			name.length + escapedText(json.slice(0, SHOWN_SHORT_CHARACTERS + 1)).length > SHOWN_SHORT_CHARACTERS,
	};
}

function shownName(name: string): string {
	const safe = redact(name.slice(0, 2 * SHOWN_NAME_CHARACTERS));
	const text = escapedName(safe.slice(0, SHOWN_NAME_CHARACTERS));
	return name.length > SHOWN_NAME_CHARACTERS ? `${text}… (${sizeText(measured('', name))})` : text;
}

/** A secret at the cut is whole in a text of twice the length. */
function shownValue(value: unknown, limit: number): Pick<ArgumentRow, 'text' | 'leftOut' | 'hasSecret'> {
	if (typeof value === 'string') {
		const start = value.slice(0, 2 * limit);
		const safe = redact(start);
		const leftOut = Math.max(0, value.length - limit);
		return { text: escapedJson(safe.slice(0, limit)), leftOut, hasSecret: safe !== start };
	}
	const json = JSON.stringify(value) ?? 'null';
	const start = json.slice(0, 2 * limit);
	const safe = redact(start === json ? (JSON.stringify(redactJson(value)) ?? 'null') : start);
	const leftOut = Math.max(0, json.length - limit);
	return { text: escapedText(safe.slice(0, limit)), leftOut, hasSecret: safe !== start };
}

/** A row with a name of ours. It has no quotes, which the name of an argument with such characters has. */
function summaryRow(name: string, value: unknown, limit: number): ArgumentRow {
	return { name, ...measured(name, value), ...shownValue(value, limit) };
}
