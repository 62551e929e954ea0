/* Small JSON files that processes of one user leave for each other. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { assertPrivate } from './private-path.ts';
import { readRegularText } from './regular-file.ts';

/** Undefined for a file that is absent or damaged. Throws when another user may write it. */
export function readState(path: string, limitBytes?: number): unknown {
	assertPrivate(path);
	// A file that was cut by a crash is the same as an absent one.
	return attempt(() => JSON.parse(readRegularText(path, limitBytes)));
}

/** Replace the file whole: a reader sees the old text or the new one. Throws the error of the system. */
export function writeState(path: string, value: unknown): void {
	const temporary = join(dirname(path), `.${basename(path)}.${process.pid}`);
	try {
		writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
		renameSync(temporary, path);
	} catch (error) {
		rmSync(temporary, { force: true }); // a full disk keeps the beginning
		throw error;
	}
}
