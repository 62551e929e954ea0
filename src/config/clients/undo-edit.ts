/*
 * Take back the edit of a file that another program changed in the meantime: Claude Code
 * writes its whole `.claude.json` at every start, and a restored backup would lose what
 * it wrote. So the servers that were removed and added are looked up by name in the
 * parsed file. What others wrote stays, byte for byte.
 */
import { isDeepStrictEqual } from 'node:util';
import { OrchestraError } from '../../errors.ts';
import { jsonPieceAt, removeJsonKey, setJsonKey } from '../edit/json-edit.ts';
import { formatOf, parseClientText, type WrittenEntry, writtenEntries } from './client-document.ts';
import { startsUs } from './client-file.ts';
import { type ClientChange, editClientText } from './edit-client.ts';

export interface EditedText {
	/** Its name has the format. */
	readonly path: string;
	readonly before: string;
	readonly after: string;
	/** The text with the edit and with changes of others. */
	readonly now: string;
	/** The keys of every object or list that was edited. */
	readonly places: readonly (readonly string[])[];
}

export interface UndoneEdit {
	readonly text: string;
	/** The names of servers that have another value by now, which stays. */
	readonly kept: readonly string[];
}

/** `now` without the edit from `before` to `after`. Throws `bad_input` when it does not parse, or is not shaped so that it can be edited. */
export function undoEdit({ path, before, after, now, places }: EditedText): UndoneEdit {
	const kept: string[] = [];
	let text = now;
	for (const keys of places) {
		const edit = { path, before, after, now: text, keys };
		const { change, differing } = changeAt(edit);
		text = sameContainer(edit) ?? withoutEmpty(edit, editClientText({ path, text }, change));
		kept.push(...differing);
	}
	return { text, kept };
}

interface PlaceEdit extends Omit<EditedText, 'places'> {
	readonly keys: readonly string[];
}

/** The entries to remove and to add under the keys, and those that differ by now. */
function changeAt({ path, before, after, now, keys }: PlaceEdit): {
	change: ClientChange;
	differing: string[];
} {
	const [old, edited, present] = [
		entriesOf(before, path, keys),
		entriesOf(after, path, keys),
		entriesOf(now, path, keys),
	];
	const differing: string[] = [];
	const remove = [...edited.values()].filter(({ name, value }) => {
		const found = present.get(name);
		if (found === undefined || isDeepStrictEqual(old.get(name)?.value, value)) return false;
		const isStillOurs = startsUs(value) && startsUs(found.value);
		if (isStillOurs || isDeepStrictEqual(found.value, value)) return true;
		if (!isDeepStrictEqual(found.value, old.get(name)?.value)) differing.push(name);
		return false;
	});
	const removed = new Set(remove.map(({ name }) => name));
	const add = [...old.values()].filter(({ name, value }) => {
		if (isDeepStrictEqual(edited.get(name)?.value, value)) return false;
		const found = removed.has(name) ? undefined : present.get(name);
		if (found === undefined) return edited.get(name) === undefined || removed.has(name);
		if (!edited.has(name) && !isDeepStrictEqual(found.value, value)) differing.push(name);
		return false;
	});
	const change = {
		remove: remove.map(({ name }) => ({ name, keys, index: present.get(name)?.index })),
		add: add.map((entry) => ({ ...entry, keys, from: before })),
	};
	return { change, differing };
}

function entriesOf(text: string, path: string, keys: readonly string[]): Map<string, WrittenEntry> {
	const entries = writtenEntries(parseClientText(text, path), keys);
	if (entries !== undefined) return new Map(entries.map((entry) => [entry.name, entry]));
	throw new OrchestraError('bad_input', `${path}: ${keys.join('.')} is not an object`, {
		hint: `Write an object there, as in "${keys.at(-1)}": {}.`,
	});
}

/** JSON with the old text of the servers, its order and comments; undefined when others changed them. */
function sameContainer({ path, before, after, now, keys }: PlaceEdit): string | undefined {
	if (formatOf(path) !== 'json') return undefined;
	const [old, edited, present] = [before, after, now].map((text) => jsonPieceAt(text, keys));
	if (old === undefined || edited === undefined || edited.text !== present?.text) return undefined;
	return setJsonKey(now, keys, old);
}

/** Without an empty object that the edit had created. */
function withoutEmpty({ path, before, keys }: PlaceEdit, text: string): string {
	const isEmpty = entriesOf(text, path, keys).size === 0;
	if (!isEmpty || formatOf(path) !== 'json' || jsonPieceAt(before, keys) !== undefined) return text;
	return removeJsonKey(text, keys);
}
