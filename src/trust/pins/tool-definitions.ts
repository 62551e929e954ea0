/*
 * The definitions of accepted tools, for a readable diff, and those of pages that were read and
 * are not as they were accepted. They are in the state folder and not in `orchestra.lock`,
 * which would become too long to review. A definition counts only when it has the hash that it
 * is stored under.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { writeState } from '../../files/state-file.ts';
import { isObject } from '../../wire/json.ts';
import { DEFINITIONS_LIMIT_BYTES, PIN_FILE_NAME_CHARACTERS } from '../trust-limits.ts';
import { isPinnedTool, type PinnedTool } from './tool-pin.ts';

/** Most pages of a server whose change waits for the user. */
const CHANGED_PAGES = 100;

/** Tools by their hashes. */
export type ToolDefinitions = ReadonlyMap<string, PinnedTool>;

/** The known definitions of a server. A damaged file counts as absent. */
export function readDefinitions(folder: string, server: string): ToolDefinitions {
	return readFile(fileOf(folder, server));
}

/** What was read of a server last, and is not as it was accepted. A damaged file counts as absent. */
export function readChangedDefinitions(folder: string, server: string): ToolDefinitions {
	return readFile(changedFile(folder, server));
}

function readFile(file: string): ToolDefinitions {
	const definitions = new Map<string, PinnedTool>();
	try {
		assertPrivate(file);
		const found: unknown = JSON.parse(readRegularText(file, DEFINITIONS_LIMIT_BYTES));
		for (const [hash, tool] of isObject(found) ? Object.entries(found) : [])
			if (isPinnedTool(tool, hash)) definitions.set(hash, tool);
	} catch {
		return definitions; // absent or damaged: the diff shows the new definition alone
	}
	return definitions;
}

/** Replace the definitions of a server. Throws the error of the system. */
export function writeDefinitions(folder: string, server: string, definitions: ToolDefinitions): void {
	writeState(fileOf(folder, server), Object.fromEntries(definitions));
}

/** Replace what was read of a server and is not as it was accepted, up to a bound; the first ones are dropped. Throws the error of the system. */
export function writeChangedDefinitions(folder: string, server: string, definitions: ToolDefinitions): void {
	const file = changedFile(folder, server);
	if (definitions.size === 0) rmSync(file, { force: true });
	else writeState(file, Object.fromEntries([...definitions].slice(-CHANGED_PAGES)));
}

function changedFile(folder: string, server: string): string {
	return fileOf(folder, `${server} changed`);
}

function fileOf(folder: string, server: string): string {
	return join(folder, `${sha256(server).slice(0, PIN_FILE_NAME_CHARACTERS)}.json`);
}
