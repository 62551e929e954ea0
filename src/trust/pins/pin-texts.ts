/*
 * The texts of accepted tools, for a readable diff, and of pages that were read and are not as they were accepted. They are in the state folder and not
 * in `orchestra.lock`, which would become too long to review. A text counts only when it
 * has the hash that it is stored under.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { writeState } from '../../files/state-file.ts';
import { isObject } from '../../wire/json.ts';
import { PIN_FILE_NAME_CHARACTERS, PIN_TEXTS_LIMIT_BYTES } from '../trust-limits.ts';
import { isPinnedTool, type PinnedTool } from './pinned-tool.ts';

/** Most pages of a server whose change waits for the user. */
const CHANGED_PAGES = 100;

/** Tools by their hashes. */
export type PinTexts = ReadonlyMap<string, PinnedTool>;

/** The known texts of a server. A damaged file counts as absent. */
export function readPinTexts(folder: string, server: string): PinTexts {
	return readTexts(textsFile(folder, server));
}

/** What was read of a server last, and is not as it was accepted. A damaged file counts as absent. */
export function readChangedTexts(folder: string, server: string): PinTexts {
	return readTexts(changedFile(folder, server));
}

function readTexts(file: string): PinTexts {
	const texts = new Map<string, PinnedTool>();
	try {
		assertPrivate(file);
		const found: unknown = JSON.parse(readRegularText(file, PIN_TEXTS_LIMIT_BYTES));
		for (const [hash, tool] of isObject(found) ? Object.entries(found) : [])
			if (isPinnedTool(tool, hash)) texts.set(hash, tool);
	} catch {
		return texts; // absent or damaged: the diff shows the new text alone
	}
	return texts;
}

/** Replace the texts of a server. Throws the error of the system. */
export function writePinTexts(folder: string, server: string, texts: PinTexts): void {
	writeState(textsFile(folder, server), Object.fromEntries(texts));
}

/** Replace what was read of a server and is not as it was accepted, up to a bound; the first ones are dropped. Throws the error of the system. */
export function writeChangedTexts(folder: string, server: string, texts: PinTexts): void {
	const file = changedFile(folder, server);
	if (texts.size === 0) rmSync(file, { force: true });
	else writeState(file, Object.fromEntries([...texts].slice(-CHANGED_PAGES)));
}

function changedFile(folder: string, server: string): string {
	return textsFile(folder, `${server} changed`);
}

function textsFile(folder: string, server: string): string {
	return join(folder, `${sha256(server).slice(0, PIN_FILE_NAME_CHARACTERS)}.json`);
}
