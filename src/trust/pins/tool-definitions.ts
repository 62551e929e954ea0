/*
 * The definitions of accepted tools, for a readable diff, and those of pages that were read and
 * are not as they were accepted. They are in the state folder and not in `orchestra.lock`,
 * which would become too long to review. A definition counts only when it has the hash that it
 * is stored under.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { hashedName } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { isObject } from '../../wire/json.ts';
import { DEFINITIONS_LIMIT_BYTES } from '../trust-limits.ts';
import { isPinnedTool, type PinnedTool } from './tool-pin.ts';

/** Most pages of a server whose change waits for the user. */
const CHANGED_PAGES = 100;

/** Tools by their hashes. */
export type ToolDefinitions = ReadonlyMap<string, PinnedTool>;

/** The file with the definitions of a server, in the state folder. */
export function definitionsFile(folder: string, server: string): string {
	return join(folder, `${hashedName(server)}.json`);
}

/** The file with what was read of a server last, and is not as it was accepted. */
export function changedFile(folder: string, server: string): string {
	return definitionsFile(folder, `${server} changed`);
}

/** The definitions in a file. One that is absent, damaged or of another user has none: the diff shows the new one alone. */
export function readDefinitions(file: string): ToolDefinitions {
	const found = attempt(() => readState(file, DEFINITIONS_LIMIT_BYTES));
	return new Map(
		Object.entries(isObject(found) ? found : {}).filter((entry): entry is [string, PinnedTool] =>
			isPinnedTool(entry[1], entry[0]),
		),
	);
}

/** Replace the definitions in a file. Throws the error of the system. */
export function writeDefinitions(file: string, definitions: ToolDefinitions): void {
	writeState(file, Object.fromEntries(definitions));
}

/** The same of what is not as it was accepted, up to a bound: the first ones are dropped. */
export function writeChanged(file: string, changed: ToolDefinitions): void {
	if (changed.size === 0) rmSync(file, { force: true });
	else writeDefinitions(file, new Map([...changed].slice(-CHANGED_PAGES)));
}
