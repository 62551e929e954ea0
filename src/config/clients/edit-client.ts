/*
 * Edit the file of a client: remove servers, add our entry.
 *
 * The result is parsed and compared with the value it must have. So a shape that the
 * edits do not know (servers in an inline TOML table) is refused and never damaged.
 */
import { isDeepStrictEqual } from 'node:util';
import { OrchestraError } from '../../errors.ts';
import { isObject } from '../../wire/json.ts';
import { removeJsonKey, setJsonKey } from '../edit/json-edit.ts';
import { appendTomlTable, removeTomlTable } from '../edit/toml-edit.ts';
import { removeYamlItems } from '../edit/yaml-list.ts';
import { formatOf, parseClientText } from './client-document.ts';
import type { ClientFile, ClientServer } from './client-file.ts';

export interface ClientChange {
	readonly remove: readonly ClientServer[];
	/** Name and value of our entry. */
	readonly add?: { readonly name: string; readonly value: Readonly<Record<string, unknown>> } | undefined;
}

/** The new text. Throws `bad_input` when it would not have exactly this change. */
export function editClientText(file: ClientFile, change: ClientChange): string {
	const text = editorOf(file)(file, change);
	if (!hasValue(text, file.path, expectedValue(file, change))) {
		throw new OrchestraError('bad_input', `${file.path} has a shape that cannot be edited safely`, {
			hint: `Edit ${file.keys.join('.')} in it by hand.`,
		});
	}
	return text;
}

function hasValue(text: string, path: string, expected: unknown): boolean {
	try {
		return isDeepStrictEqual(plain(parseClientText(text, path)), plain(expected));
	} catch {
		return false; // it does not even parse
	}
}

type Editor = (file: ClientFile, change: ClientChange) => string;

function editorOf({ path }: ClientFile): Editor {
	return { json: editJson, toml: editToml, yaml: editYaml }[formatOf(path)];
}

function editJson({ text, keys }: ClientFile, { remove, add }: ClientChange): string {
	const rest = remove.reduce((before, server) => removeJsonKey(before, [...server.keys, server.name]), text);
	return add ? setJsonKey(rest, [...keys, add.name], add.value) : rest;
}

function editToml({ text, keys }: ClientFile, { remove, add }: ClientChange): string {
	const rest = remove.reduce(
		(before, server) => removeTomlTable(before, [...server.keys, server.name]),
		text,
	);
	return add ? appendTomlTable(rest, [...keys, add.name], textsOf(add.value)) : rest;
}

/** Our own entry is in a file of its own there. */
function editYaml({ text, keys }: ClientFile, { remove }: ClientChange): string {
	const indexes = remove.flatMap(({ index }) => (index === undefined ? [] : [index]));
	return removeYamlItems(text, keys[0] ?? '', indexes);
}

function textsOf(value: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [
			key,
			Array.isArray(inner) ? inner.map(String) : String(inner),
		]),
	);
}

function expectedValue(file: ClientFile, { remove, add }: ClientChange): unknown {
	const value = parseClientText(file.text, file.path);
	const lists = new Set<unknown[]>();
	for (const { keys, name, index } of remove) {
		const container = containerAt(value, keys);
		if (Array.isArray(container) && index !== undefined) {
			container[index] = undefined;
			lists.add(container);
		} else if (isObject(container)) delete container[name];
	}
	for (const list of lists) list.splice(0, list.length, ...list.filter((item) => item !== undefined));
	if (!add) return value;
	return withEntry(value, [...file.keys, add.name], add.value);
}

function containerAt(value: unknown, keys: readonly string[]): unknown {
	return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function withEntry(value: unknown, [key = '', ...rest]: readonly string[], entry: unknown): unknown {
	const object = isObject(value) ? value : {};
	return { ...object, [key]: rest.length === 0 ? entry : withEntry(object[key], rest, entry) };
}

/** One prototype for all objects, and no empty ones: the last table of TOML takes the one around it away. */
function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plain);
	if (!isObject(value) || value instanceof Date) return value;
	return Object.fromEntries(
		Object.entries(value)
			.map(([key, inner]): [string, unknown] => [key, plain(inner)])
			.filter(
				([, inner]) => !(isObject(inner) && !(inner instanceof Date) && Object.keys(inner).length === 0),
			),
	);
}
