/*
 * Replace secrets in text that leaves this process: logs, log files, errors, status.
 *
 * The registry belongs to the process and not to a hub: a value that was resolved for
 * one server may appear in any later message, and one forgotten parameter would print
 * it. Known values are found by their first characters and well-known token shapes by
 * one expression without nested repetition, so the time is linear in the text.
 * Results for clients are not redacted, unless the entry of a server asks for it.
 */
import {
	CLEAN_STRINGS_LIMIT,
	CLEAN_TEXT_CHARACTERS,
	NESTING_DEPTH,
	SECRET_PIECE_CHARACTERS,
	SECRET_PIECE_LIMIT,
	SECRET_SHORTEST_CHARACTERS,
	VALUE_LIMIT_CHARACTERS,
} from './core-limits.ts';
import { attempt } from './errors.ts';
import { MASK, tokenShapes } from './token-shapes.ts';

const CODES = 256;

/** Pieces by their first characters, longest first, in the order of their first characters' arrival. */
const piecesByStart = new Map<string, string[]>();
/** Counts of first characters, modulo 256: most positions of a text are skipped by this. */
const firstCodes = new Uint16Array(CODES);
let pieceCount = 0;
/** Texts in which no secret was found; forgotten when a secret is added. */
const cleanStrings = new Set<string>();

/** Remember a secret: `redact` replaces it from now on, also in JSON, in a URL and in Base64. */
export function addSecret(value: string): void {
	const bounded = value.slice(0, VALUE_LIMIT_CHARACTERS);
	const lines = bounded.includes('\n') ? bounded.split(/\r?\n/) : [];
	for (const text of [bounded.trim(), ...lines.map((line) => line.trim())]) {
		if (text.length < SECRET_SHORTEST_CHARACTERS) continue;
		for (const form of new Set([text, JSON.stringify(text).slice(1, -1), ...encodedForms(text)])) {
			for (const piece of piecesOf(form)) addPiece(piece);
		}
	}
}

/** `text` with every known secret and every token of a well-known shape replaced. */
export function redact(text: string): string {
	const known = pieceCount > 0 && text.length >= SECRET_SHORTEST_CHARACTERS ? withoutPieces(text) : text;
	const masked = tokenShapes.reduce((rest, { shape, replace }) => rest.replace(shape, replace), known);
	return masked === text ? text : masked.replace(/(?:•••){2,}/g, MASK);
}

/** Whether `redact` would change the text. Fast for a text that was checked before. */
export function hasSecret(text: string): boolean {
	if (cleanStrings.has(text)) return false;
	if (redact(text) !== text) return true;
	if (cleanStrings.size >= CLEAN_STRINGS_LIMIT) cleanStrings.clear();
	if (text.length <= CLEAN_TEXT_CHARACTERS) cleanStrings.add(text);
	return false;
}

/** A JSON value with every string in it redacted; the same object when nothing changes. */
export function redactJson(value: unknown, depth: number = 0): unknown {
	if (typeof value === 'string') return redact(value);
	if (typeof value !== 'object' || value === null) return value;
	if (depth === NESTING_DEPTH) return MASK;
	const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
		key,
		redactJson(inner, depth + 1),
	]);
	if (entries.every(([key, inner]) => inner === Reflect.get(value, key))) return value;
	return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function encodedForms(text: string): string[] {
	const forms: string[] = [];
	// A half character has no URL form, and one beyond Latin-1 no Base64 form here.
	attempt(() => {
		forms.push(encodeURIComponent(text));
		forms.push(btoa(text).replace(/=+$/, ''));
	});
	return forms;
}

/** Pieces that follow each other; the last one is longer rather than too short to be found. */
function piecesOf(text: string): string[] {
	const pieces: string[] = [];
	let at = 0;
	for (; text.length - at >= 2 * SECRET_PIECE_CHARACTERS; at += SECRET_PIECE_CHARACTERS)
		pieces.push(text.slice(at, at + SECRET_PIECE_CHARACTERS));
	return [...pieces, text.slice(at)];
}

function addPiece(piece: string): void {
	const start = piece.slice(0, SECRET_SHORTEST_CHARACTERS);
	const others = piecesByStart.get(start) ?? [];
	if (others.includes(piece)) return;
	cleanStrings.clear();
	piecesByStart.set(
		start,
		[...others, piece].sort((a, b) => b.length - a.length),
	);
	count(start, 1);
	while (pieceCount > SECRET_PIECE_LIMIT) dropOldest();
}

function dropOldest(): void {
	for (const [start, pieces] of piecesByStart) {
		piecesByStart.delete(start);
		count(start, -pieces.length);
		return;
	}
}

function count(start: string, change: number): void {
	pieceCount += change;
	const code = start.charCodeAt(0) % CODES;
	firstCodes[code] = (firstCodes[code] ?? 0) + change;
}

function withoutPieces(text: string): string {
	let clean = '';
	let from = 0;
	for (let at = 0; at <= text.length - SECRET_SHORTEST_CHARACTERS; at++) {
		if (firstCodes[text.charCodeAt(at) % CODES] === 0) continue;
		const pieces = piecesByStart.get(text.slice(at, at + SECRET_SHORTEST_CHARACTERS));
		const found = pieces?.find((piece) => text.startsWith(piece, at));
		if (found === undefined) continue;
		clean += text.slice(from, at) + MASK;
		from = at + found.length;
		at = from - 1;
	}
	return from === 0 ? text : clean + text.slice(from);
}
