/*
 * Check that a path is private to this user.
 *
 * Folders and files that contain keys, or that decide which process we connect to,
 * must belong to the current user and must not be writable by others. Otherwise
 * another local user can plant a hub, a key or a lock there.
 */
import { chmodSync, lstatSync } from 'node:fs';
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';

/** Mode bits for write access of group and others. */
export const WRITABLE_BY_OTHERS = 0o022;
/** Mode bits for any access of group and others. */
const OTHERS = 0o077;
const PERMISSIONS = 0o777;

/** Throws `bad_input` when `path` belongs to another user, is a symbolic link, or is writable by others. A missing path passes. */
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

/**
 * Take the rights of others from a file or folder of ours, with a warning when it had any. A path that is missing, a
 * link or of another user is left alone. `log` is stderr by default.
 */
export function makePrivate(
	path: string,
	mode: number,
	log: Pick<Log, 'warn'> = Log.fromEnvironment('orchestra'),
): void {
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found === undefined || process.getuid === undefined) return;
	const isOurs = found.uid === process.getuid() && !found.isSymbolicLink();
	if (!isOurs || (found.mode & OTHERS) === 0) return;
	chmodSync(path, mode);
	const was = (found.mode & PERMISSIONS).toString(8);
	log.warn(`${path} had mode ${was}, open to other users; it is now ${mode.toString(8)}`);
}

function notPrivate(path: string, reason: string, hint: string): OrchestraError {
	return new OrchestraError('bad_input', `${path} ${reason}`, { hint, data: { path } });
}
