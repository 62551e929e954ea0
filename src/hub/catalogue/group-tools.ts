/*
 * The tools of each group of the fabric as they were listed last, beside the pins: for
 * `mctl trust diff` and `mctl trust accept`, which connect to nothing.
 */
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { namesIn } from '../../files/names-in.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { hashedName } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import type { PinPlace } from '../../trust/pins/pin-place.ts';
import { isObject } from '../../wire/json.ts';
import { KNOWN_LIMIT_BYTES, PINNED_GROUPS } from '../hub-limits.ts';

/** A group and its tools. */
export interface ListedGroup {
	readonly group: string;
	readonly tools: readonly Tool[];
}

/** Replace what is known of a group. Throws the error of the system. */
export function writeGroupTools(place: PinPlace, { group, tools }: ListedGroup): void {
	const folder = groupsFolder(place);
	makeFolders(folder, 0o700);
	assertPrivate(folder);
	writeState(join(folder, `${hashedName(group)}.json`), { group, tools });
}

/** All groups that are known, by name. A damaged file counts as absent. */
export function readGroupTools(place: PinPlace): ListedGroup[] {
	const folder = groupsFolder(place);
	return filesIn(folder)
		.flatMap((name) => readGroup(join(folder, name)) ?? [])
		.sort((one, other) => (one.group < other.group ? -1 : 1));
}

function groupsFolder({ folder }: PinPlace): string {
	return join(folder, 'offers');
}

function filesIn(folder: string): string[] {
	// No group was listed yet.
	return namesIn(folder)
		.filter((name) => /^[\da-f]+\.json$/.test(name))
		.slice(0, PINNED_GROUPS);
}

/** One that is damaged, or of another user, is written again when the group is listed. */
function readGroup(file: string): ListedGroup | undefined {
	const read = attempt(() => readState(file, KNOWN_LIMIT_BYTES));
	const { group, tools } = isObject(read) ? read : {};
	if (typeof group !== 'string' || !Array.isArray(tools)) return undefined;
	return { group, tools: tools.filter(isNamed) };
}

function isNamed(value: unknown): value is Tool {
	return isObject(value) && typeof value['name'] === 'string';
}
