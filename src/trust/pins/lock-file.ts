/*
 * `orchestra.lock` on disk. It comes with a project of another user: a file that is not
 * a plain lock file is a problem, and is never replaced.
 */
import { lstatSync } from 'node:fs';
import { isCode, OrchestraError } from '../../errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { formatLock, type LockContent, parseLock } from './lock-text.ts';

/** A lock file and the bytes that it was read from; no bytes when there is none. */
export interface LockFile extends LockContent {
	readonly bytes: Buffer | undefined;
}

/** Read a lock file. Throws `bad_input` when it is damaged, or no plain file. */
export function readLockFile(path: string): LockFile {
	try {
		if (lstatSync(path).isSymbolicLink()) {
			throw new OrchestraError(
				'bad_input',
				`${path} is a symbolic link, and a lock file must be a plain file`,
				{
					hint: 'Remove the link.',
					data: { path },
				},
			);
		}
		const bytes = readRegularFile(path);
		return { ...parseLock(bytes.toString('utf8'), path), bytes };
	} catch (error) {
		if (isCode(error, 'ENOENT', 'ENOTDIR'))
			return { servers: new Map(), packages: new Map(), bytes: undefined };
		throw OrchestraError.from(error, 'io');
	}
}

/** Replace a lock file that was read before. Throws when it has other bytes now; errors of the system pass through. */
export function writeLockFile(path: string, content: LockContent, { bytes }: Pick<LockFile, 'bytes'>): void {
	const text = Buffer.from(formatLock(content));
	if (bytes?.equals(text) === true) return;
	replaceFile(path, text, { expected: { bytes } });
}
