/* Check the permissions of a private key file: only its owner may read or write it. */
import { lstatSync } from 'node:fs';
import { OrchestraError } from '../../errors.ts';
import { assertPrivate, WRITABLE_BY_OTHERS } from '../../files/private-path.ts';

const OPEN_TO_OTHERS = 0o077;

/** Throws `bad_input` when the key exists and others can read or write it. */
export function assertPrivateKey(path: string): void {
	const found = process.getuid && lstatSync(path, { throwIfNoEntry: false }); // Windows has access lists instead
	if (!found?.isFile() || (found.mode & OPEN_TO_OTHERS) === 0) {
		assertPrivate(path);
		return;
	}
	const verb = (found.mode & WRITABLE_BY_OTHERS) === 0 ? 'read' : 'written';
	throw new OrchestraError('bad_input', `the private key ${path} can be ${verb} by other users`, {
		hint: `Run: chmod 600 ${path}. If others may have read it, remove the folder: all certificates are created again.`,
		data: { path },
	});
}
