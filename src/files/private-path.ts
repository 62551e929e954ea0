/*
 * Is a path ours alone?
 *
 * Folders and files that decide which process we talk to, or that hold keys, must
 * belong to the user who runs us and must not be writable by others. Otherwise
 * another local user can put a hub, a key or a lock of his own there.
 */
import { lstatSync } from 'node:fs';
import { OrchestraError } from '../errors.ts';

/** Bits that let the group or others write. */
const WRITABLE_BY_OTHERS = 0o022;

/** Throws `bad_input` when `path` exists and belongs to another user, is a link, or can be written by others. A missing path is fine. */
export function assertPrivate(path: string, userId: number | undefined = process.getuid?.()): void {
	if (userId === undefined) return; // Windows has access lists instead
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found === undefined) return;
	if (found.isSymbolicLink()) throw notPrivate(path, 'is a symbolic link', 'Remove the link.');
	if (found.uid !== userId) {
		throw notPrivate(
			path,
			`belongs to user ${found.uid}, not to you`,
			`Remove it, or run: sudo chown ${userId} ${path}`,
		);
	}
	if ((found.mode & WRITABLE_BY_OTHERS) !== 0) {
		throw notPrivate(path, 'can be written by other users', `Run: chmod go-w ${path}`);
	}
}

function notPrivate(path: string, reason: string, hint: string): OrchestraError {
	return new OrchestraError('bad_input', `${path} ${reason}`, { hint, data: { path } });
}
