/*
 * Set and remove one key in JSON with comments; every other character stays.
 *
 * The comments between a removed key and the key before it stay, neighbours are not
 * formatted, and no lone comma is left behind.
 */
import { OrchestraError } from '../../errors.ts';
import { isObject } from '../../wire/json.ts';
import { type JsonNode, nodesTo, parseJsonTree } from '../jsonc.ts';
import {
	applyTextEdits,
	editWithoutMark,
	isBlank,
	lineEnding,
	lineStart,
	nextLine,
	type TextEdit,
} from './text-edits.ts';

/** Keys, and indexes of lists. */
type JsonPath = readonly (string | number)[];

/** The text of a value, comments included, to write it into another text. */
export class JsonPiece {
	readonly text: string;
	/** The indentation of the line that it starts on. */
	readonly indent: string;

	constructor(text: string, indent: string) {
		this.text = text;
		this.indent = indent;
	}
}

/** The value at `path` as it is written; undefined when there is none. The text must parse. */
export function jsonPieceAt(text: string, path: JsonPath): JsonPiece | undefined {
	const body = text.replace(/^\uFEFF/, '');
	const node = nodeAt(body, path);
	return node && new JsonPiece(body.slice(node.start, node.end), indentOf(body, node.start));
}

/** Remove the key at `path`; a text without it is returned unchanged. The text must parse. */
export function removeJsonKey(text: string, path: readonly string[]): string {
	return editWithoutMark(text, (body) => applyTextEdits(body, removalOf(body, path)));
}

/** Remove one item of the array at `path`; a text without it is returned unchanged. The text must parse. */
export function removeJsonItem(text: string, path: readonly string[], index: number): string {
	return editWithoutMark(text, (body) => {
		const isItem = Array.isArray(nodeAt(body, path)?.value);
		return isItem ? applyTextEdits(body, removalOf(body, [...path, index])) : body;
	});
}

/** Set the key at `path` to a value or a piece, with the objects on the way; a new key comes last. The text must parse. */
export function setJsonKey(text: string, path: JsonPath, value: unknown): string {
	return editWithoutMark(text, (body) => {
		if (isBlank(body)) return setJsonKey(`{}${lineEnding(body)}`, path, value);
		const existing = nodeAt(body, path);
		if (existing !== undefined) return replaceValue(body, existing, value);
		let known = path.length - 1;
		while (known > 0 && nodeAt(body, path.slice(0, known)) === undefined) known--;
		const object = nodeAt(body, path.slice(0, known));
		if (object?.value === null) return setJsonKey(replaceValue(body, object, {}), path, value);
		if (!isObject(object?.value)) throw notAnObject(path.slice(0, known));
		if (value instanceof JsonPiece && known < path.length - 1)
			return setJsonKey(setJsonKey(body, path.slice(0, -1), {}), path, value);
		const nested = path.slice(known + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
		return applyTextEdits(
			body,
			insertionInto(body, object, { key: String(path[known] ?? ''), value: nested }),
		);
	});
}

function notAnObject(path: JsonPath): OrchestraError {
	const where = path.length === 0 ? 'the file' : path.join('.');
	return new OrchestraError('bad_input', `${where} is not an object, so no key can be added to it`, {
		hint: `Write an object there, as in ${path.length === 0 ? '{}' : `"${path.at(-1)}": {}`}`,
	});
}

function nodeAt(body: string, path: JsonPath): JsonNode | undefined {
	return isBlank(body) ? undefined : nodesTo(parseJsonTree(body, 'the text'), path.map(String))[path.length];
}

function removalOf(body: string, path: JsonPath): TextEdit[] {
	const nodes = isBlank(body) ? [] : nodesTo(parseJsonTree(body, 'the text'), path.map(String));
	const [parent, removed] = nodes.slice(path.length - 1);
	if (parent === undefined || removed === undefined) return [];
	const siblings = [...parent.children.values()];
	const before = siblings[siblings.indexOf(removed) - 1];
	const { from, end } = removed;
	const comma = commaAfter(body, end);
	if (siblings.length === 1) {
		const inside = cut(parent.start + 1, parent.end - 1);
		const rest = body.slice(inside.at, from) + body.slice(end, inside.end).replace(',', '');
		// An object without keys or comments is `{}`, as every program writes it.
		if (isBlank(rest)) return [inside];
	}
	if (comma !== -1) {
		if (isBlank(body.slice(end, comma))) return [cutPiece(body, from, comma + 1)];
		return [cut(from, end), cut(comma, comma + 1)];
	}
	const piece = cutPiece(body, from, end);
	if (before === undefined) return [piece];
	const commaBefore = commaAfter(body, before.end);
	return commaBefore === -1 ? [piece] : [cut(commaBefore, commaBefore + 1), piece];
}

/** Cut a piece, with its lines when nothing else is on them, else with the blanks at its side. */
function cutPiece(body: string, start: number, end: number): TextEdit {
	const from = lineStart(body, start);
	const to = nextLine(body, end);
	const isAloneBefore = isBlank(body.slice(from, start));
	if (isAloneBefore && isBlank(body.slice(end, to))) return cut(from, to);
	const [blanksAfter = ''] = /^[ \t]*/.exec(body.slice(end)) ?? [];
	if (body[end - 1] === ',') return cut(start, end + blanksAfter.length);
	const [blanksBefore = ''] = /[ \t]*$/.exec(body.slice(from, start)) ?? [];
	return cut(start - blanksBefore.length, end);
}

function cut(at: number, end: number): TextEdit {
	return { at, end, text: '' };
}

function replaceValue(body: string, { start, end, children }: JsonNode, value: unknown): string {
	const layout = layoutOf(body);
	const isLine = !body.slice(start, end).includes('\n');
	const isInline = layout.isMinified || (isLine && children.size > 0);
	const text = isInline ? inlineText(value, layout) : blockText(value, layout, indentOf(body, start));
	return applyTextEdits(body, [{ at: start, end, text }]);
}

interface NewKey {
	readonly key: string;
	readonly value: unknown;
}

function insertionInto(body: string, object: JsonNode, added: NewKey): TextEdit[] {
	const last = [...object.children.values()].at(-1);
	if (last === undefined) return [firstKey(body, object, added)];
	const comma = commaAfter(body, last.end);
	const after = comma === -1 ? last.end : comma + 1;
	const layout = layoutOf(body);
	const isInline = !body.slice(object.start, object.end).includes('\n');
	const indent = isAloneOnLine(body, last.from)
		? indentOf(body, last.from)
		: indentOf(body, object.start) + layout.unit;
	const text = isInline
		? layout.gap + inlineKey(added, layout)
		: layout.eol + indent + blockKey(added, layout, indent);
	const at = isInline ? after : endOfTrailingComment(body, after);
	const piece = { at, end: at, text: text + (comma === -1 ? '' : ',') };
	if (comma !== -1) return [piece];
	if (at === after) return [{ ...piece, text: `,${piece.text}` }];
	return [{ at: after, end: after, text: ',' }, piece];
}

/** The first key of an object that has none, but may have comments. */
function firstKey(body: string, { start, end }: JsonNode, added: NewKey): TextEdit {
	const layout = layoutOf(body);
	const [at, close] = [start + 1, end - 1];
	if (layout.isMinified) return { at, end: at, text: inlineKey(added, layout) };
	const base = indentOf(body, start);
	const text = layout.eol + base + layout.unit + blockKey(added, layout, base + layout.unit);
	const isEmpty = isBlank(body.slice(at, close));
	return isEmpty ? { at, end: close, text: text + layout.eol + base } : { at, end: at, text };
}

interface Layout {
	readonly eol: string;
	/** One level of indentation. */
	readonly unit: string;
	/** Between the keys of an object on one line. */
	readonly gap: string;
	/** The whole text is one line of several keys. */
	readonly isMinified: boolean;
}

function layoutOf(body: string): Layout {
	const [unit = '  '] = /^[ \t]+(?=")/m.exec(body) ?? [];
	const isMinified = !body.trim().includes('\n') && body.trim().startsWith('{"');
	return { eol: lineEnding(body), unit, gap: isMinified ? '' : ' ', isMinified };
}

function inlineKey({ key, value }: NewKey, layout: Layout): string {
	return `${JSON.stringify(key)}:${layout.gap}${inlineText(value, layout)}`;
}

function blockKey({ key, value }: NewKey, layout: Layout, indent: string): string {
	return `${JSON.stringify(key)}: ${blockText(value, layout, indent)}`;
}

function inlineText(value: unknown, layout: Layout): string {
	const { isMinified } = layout;
	if (value instanceof JsonPiece) return pieceText(value, layout, value.indent);
	// JSON has no line break inside a string.
	return isMinified ? JSON.stringify(value) : JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
}

function blockText(value: unknown, layout: Layout, indent: string): string {
	const { unit, eol } = layout;
	if (value instanceof JsonPiece) return pieceText(value, layout, indent);
	return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
}

/** The lines of a piece with another indentation. JSON has no line break inside a string. */
function pieceText({ text, indent: own }: JsonPiece, { eol }: Layout, indent: string): string {
	const [first = '', ...lines] = text.split(/\r?\n/);
	return [
		first,
		...lines.map((line) => (line.startsWith(own) ? indent + line.slice(own.length) : line)),
	].join(eol);
}

function indentOf(body: string, at: number): string {
	return /^[ \t]*/.exec(body.slice(lineStart(body, at), at))?.[0] ?? '';
}

function isAloneOnLine(body: string, at: number): boolean {
	return isBlank(body.slice(lineStart(body, at), at));
}

/** The index of the comma that follows, behind blanks and comments; -1 when none does. */
function commaAfter(body: string, at: number): number {
	const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
	blank.lastIndex = at;
	blank.exec(body);
	return body[blank.lastIndex] === ',' ? blank.lastIndex : -1;
}

/** Behind the comments that end on the same line. */
function endOfTrailingComment(body: string, at: number): number {
	const trailing = /(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/))*(?=[ \t]*\r?\n)/y;
	trailing.lastIndex = at;
	return trailing.test(body) ? trailing.lastIndex : at;
}
