/*
 * Set and remove one key in JSON with comments; every other character stays.
 *
 * Offsets come from jsonc-parser. Its own `modify` is not used: it deletes the comments
 * between a removed key and the key before it, reformats the neighbours, and leaves a
 * lone comma when the only key has a trailing one.
 */
import { createRequire } from 'node:module';
import type * as Jsonc from 'jsonc-parser';
import { OrchestraError } from '../../errors.ts';
import {
	applyTextEdits,
	isBlank,
	keepMark,
	lineEnding,
	lineStart,
	nextLine,
	type TextEdit,
} from './text-edits.ts';

/** Keys, and indexes of lists. */
type JsonPath = readonly (string | number)[];

/** Remove the key at `path`; a text without it is returned unchanged. The text must parse. */
export function removeJsonKey(text: string, path: readonly string[]): string {
	return keepMark(text, (body) => {
		const property = nodeAt(body, path)?.parent;
		return property?.type === 'property' ? applyTextEdits(body, removalOf(body, property)) : body;
	});
}

/** Remove one item of the array at `path`; a text without it is returned unchanged. The text must parse. */
export function removeJsonItem(text: string, path: readonly string[], index: number): string {
	return keepMark(text, (body) => {
		const array = nodeAt(body, path);
		const item = array?.type === 'array' ? array.children?.[index] : undefined;
		return item === undefined ? body : applyTextEdits(body, removalOf(body, item));
	});
}

/** Set the key at `path`, with the objects on the way; a new key comes last. The text must parse. */
export function setJsonKey(text: string, path: JsonPath, value: unknown): string {
	return keepMark(text, (body) => {
		if (isBlank(body)) return setJsonKey(`{}${lineEnding(body)}`, path, value);
		const existing = nodeAt(body, path);
		if (existing !== undefined) return replaceValue(body, existing, value);
		let known = path.length - 1;
		while (known > 0 && nodeAt(body, path.slice(0, known)) === undefined) known--;
		const object = nodeAt(body, path.slice(0, known));
		if (object?.type !== 'object') throw notAnObject(path.slice(0, known));
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

function nodeAt(body: string, path: JsonPath): Jsonc.Node | undefined {
	// Loaded on first use.
	const jsonc = createRequire(import.meta.url)('jsonc-parser') as typeof Jsonc;
	const tree = jsonc.parseTree(body, [], { allowTrailingComma: true });
	return tree && jsonc.findNodeAtLocation(tree, [...path]);
}

function removalOf(body: string, property: Jsonc.Node): TextEdit[] {
	const siblings = property.parent?.children ?? [];
	const before = siblings[siblings.indexOf(property) - 1];
	const end = endOf(property);
	const comma = commaAfter(body, end);
	if (comma !== -1) {
		if (isBlank(body.slice(end, comma))) return [cutWords(body, property.offset, comma + 1)];
		return [cut(property.offset, end), cut(comma, comma + 1)];
	}
	const words = cutWords(body, property.offset, end);
	if (before === undefined) return [words];
	const commaBefore = commaAfter(body, endOf(before));
	return commaBefore === -1 ? [words] : [cut(commaBefore, commaBefore + 1), words];
}

/** Cut a piece, with its lines when nothing else is on them, else with the blanks at its side. */
function cutWords(body: string, start: number, end: number): TextEdit {
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

function replaceValue(body: string, node: Jsonc.Node, value: unknown): string {
	const layout = layoutOf(body);
	const indent = indentOf(body, node.offset);
	const isLine = !body.slice(node.offset, endOf(node)).includes('\n');
	const isInline = layout.isMinified || (isLine && (node.children ?? []).length > 0);
	const text = isInline ? inlineText(value, layout) : blockText(value, layout, indent);
	return applyTextEdits(body, [{ at: node.offset, end: endOf(node), text }]);
}

interface NewKey {
	readonly key: string;
	readonly value: unknown;
}

function insertionInto(body: string, object: Jsonc.Node, added: NewKey): TextEdit[] {
	const last = object.children?.at(-1);
	if (last === undefined) return [firstKey(body, object, added)];
	const close = endOf(object) - 1;
	const comma = commaAfter(body, endOf(last));
	const after = comma === -1 ? endOf(last) : comma + 1;
	const layout = layoutOf(body);
	const isInline = !body.slice(object.offset, close).includes('\n');
	const indent = isAloneOnLine(body, last.offset)
		? indentOf(body, last.offset)
		: indentOf(body, object.offset) + layout.unit;
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
function firstKey(body: string, object: Jsonc.Node, added: NewKey): TextEdit {
	const layout = layoutOf(body);
	const at = object.offset + 1;
	const close = endOf(object) - 1;
	if (layout.isMinified) return { at, end: at, text: inlineKey(added, layout) };
	const base = indentOf(body, object.offset);
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

function inlineText(value: unknown, { isMinified }: Layout): string {
	// JSON has no line break inside a string.
	return isMinified ? JSON.stringify(value) : JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
}

function blockText(value: unknown, { unit, eol }: Layout, indent: string): string {
	return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
}

function indentOf(body: string, at: number): string {
	return /^[ \t]*/.exec(body.slice(lineStart(body, at), at))?.[0] ?? '';
}

function isAloneOnLine(body: string, at: number): boolean {
	return isBlank(body.slice(lineStart(body, at), at));
}

function endOf(node: Jsonc.Node): number {
	return node.offset + node.length;
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
