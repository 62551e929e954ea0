/* A key that others can read is no secret, and one that others can write is not ours. */
import { lstatSync } from 'node:fs';
import { OrchestraError } from '../errors.ts';
import { assertPrivate } from '../files/private-path.ts';

const OPEN_TO_OTHERS = 0o077;

/** Throws `bad_input` when the key exists and others can read or write it. */
export function assertPrivateKey(path: string): void {
	assertPrivate(path);
	if (process.getuid === undefined) return; // Windows has access lists instead
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found === undefined || (found.mode & OPEN_TO_OTHERS) === 0) return;
	throw new OrchestraError('bad_input', `the private key ${path} can be read by other users`, {
		hint: `Run: chmod 600 ${path}. If others may have read it, remove the folder: all certificates are made anew.`,
		data: { path },
	});
}
