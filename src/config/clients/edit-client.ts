/*
 * Edit the file of a client: remove servers, add servers.
 *
 * The result is parsed and compared with the value it must have. So a shape that the
 * edits do not know (servers in an inline TOML table) is refused and never damaged.
 */
import { isDeepStrictEqual } from 'node:util';
import { attempt, OrchestraError } from '../../errors.ts';
import { isObject } from '../../wire/json.ts';
import { jsonPieceAt, removeJsonKey, setJsonKey } from '../edit/json-edit.ts';
import { appendTomlTable, removeTomlTable, tomlTableText } from '../edit/toml-edit.ts';
import { appendYamlItem, removeYamlItems, yamlItemText } from '../edit/yaml-list.ts';
import { formatOf, parseClientText, type WrittenEntry } from './client-document.ts';

/** A server, and the keys from the top of the file to the object or list that has it. */
export interface EntryAt extends WrittenEntry {
	readonly keys: readonly string[];
}

export interface ClientChange {
	readonly remove: readonly Omit<EntryAt, 'value'>[];
	/** A server with `from` is written as it is in that text, comments included; `index` is its position there. */
	readonly add: readonly (EntryAt & { readonly from?: string | undefined })[];
}

/** The new text of a file. Throws `bad_input` when it would not have exactly this change. */
export function editClientText(file: { path: string; text: string }, change: ClientChange): string {
	const { path, text } = file;
	const format = formatOf(path);
	const keyEdits = format === 'json' ? jsonEdits : tomlEdits;
	const edited = format === 'yaml' ? editYaml(text, change) : editKeys(text, change, keyEdits);
	if (!hasValue(edited, path, expectedValue(file, change))) {
		const places = [...change.remove, ...change.add].map(({ keys }) => keys.join('.'));
		throw new OrchestraError('bad_input', `${path} has a shape that cannot be edited safely`, {
			hint: `Edit ${[...new Set(places)].join(' and ')} in it by hand.`,
		});
	}
	return edited;
}

function hasValue(text: string, path: string, expected: unknown): boolean {
	// A text that does not parse is another one.
	return attempt(() => isDeepStrictEqual(plain(parseClientText(text, path)), plain(expected)), false);
}

const jsonEdits = { remove: removeJsonKey, add: setJsonKey, textAt: jsonPieceAt };
const tomlEdits = { remove: removeTomlTable, add: appendTomlTable, textAt: tomlTableText };

function editKeys(text: string, change: ClientChange, edits: typeof jsonEdits | typeof tomlEdits): string {
	const rest = change.remove.reduce((before, { keys, name }) => edits.remove(before, [...keys, name]), text);
	return change.add.reduce((before, { keys, name, value, from }) => {
		const path = [...keys, name];
		return edits.add(before, path, from === undefined ? value : (edits.textAt(from, path) ?? value));
	}, rest);
}

/** The servers of a list. */
function editYaml(text: string, { remove, add }: ClientChange): string {
	const [
		{
			keys: [key = ''],
		} = { keys: [] },
	] = [...remove, ...add];
	const indexes = remove.flatMap(({ index }) => (index === undefined ? [] : [index]));
	const rest = removeYamlItems(text, key, indexes);
	return add.reduce((before, { value, from, index }) => {
		const lines = from === undefined || index === undefined ? undefined : yamlItemText(from, key, index);
		return appendYamlItem(before, key, { value, lines });
	}, rest);
}

function expectedValue({ path, text }: { path: string; text: string }, change: ClientChange): unknown {
	const value = parseClientText(text, path);
	const lists = new Set<unknown[]>();
	for (const { keys, name, index } of change.remove) {
		const container = containerAt(value, keys);
		if (Array.isArray(container) && index !== undefined) {
			container[index] = undefined;
			lists.add(container);
		} else if (isObject(container)) delete container[name];
	}
	for (const list of lists) list.splice(0, list.length, ...list.filter((item) => item !== undefined));
	return change.add.reduce((before, entry) => withEntry(before, entry.keys, entry), value);
}

function containerAt(value: unknown, keys: readonly string[]): unknown {
	return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** A server of a list has its name inside. */
function withEntry(value: unknown, [key, ...rest]: readonly string[], entry: EntryAt): unknown {
	if (key === undefined) {
		if (entry.index !== undefined) return [...(Array.isArray(value) ? value : []), entry.value];
		return { ...(isObject(value) ? value : {}), [entry.name]: entry.value };
	}
	const object = isObject(value) ? value : {};
	return { ...object, [key]: withEntry(object[key], rest, entry) };
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
