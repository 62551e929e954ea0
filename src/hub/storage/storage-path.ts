/*
 * Validation of storage paths, before the file system is accessed.
 *
 * A path is a list of names joined by `/`, relative to the root. Anything that could
 * leave the root is rejected, not repaired: `..`, absolute paths, drive letters,
 * backslashes, NUL. Links are checked on the disk (`inside-root.ts`).
 */
import { OrchestraError } from '../../errors.ts';
import { NAME_LIMIT_BYTES, PATH_LIMIT_BYTES, PATH_SHOWN_CHARACTERS } from './storage-limits.ts';

/** The folder for locks and temporary files; paths into it are rejected. */
export const CONTROL_FOLDER = '.storage';

/** The normalized path of a file: `./a//b.md` is `a/b.md`. Throws `bad_input`. */
export function filePath(text: string): string {
	const path = folderPath(text);
	if (path === '') throw refusedPath(text, 'names no file');
	return path;
}

/** The normalized path of a folder; the empty path is the root. Throws `bad_input`. */
export function folderPath(text: string): string {
	if (Buffer.byteLength(text) > PATH_LIMIT_BYTES)
		throw refusedPath(text, `is longer than ${PATH_LIMIT_BYTES} bytes`);
	if (text.includes('\0')) throw refusedPath(text, 'contains a NUL');
	if (/\p{Surrogate}/u.test(text)) throw refusedPath(text, 'is not valid Unicode');
	if (text.includes('\\')) throw refusedPath(text, 'contains a backslash');
	const names = text.split('/').filter((name) => name !== '' && name !== '.');
	if (text.startsWith('/') || /^[A-Za-z]:/.test(names[0] ?? '')) throw refusedPath(text, 'is absolute');
	if (names.includes('..')) throw refusedPath(text, 'contains ".."');
	if (names[0]?.toLowerCase() === CONTROL_FOLDER) throw refusedPath(text, `leads into ${CONTROL_FOLDER}`);
	if (names.some((name) => Buffer.byteLength(name) > NAME_LIMIT_BYTES)) {
		throw refusedPath(text, `has a name longer than ${NAME_LIMIT_BYTES} bytes`);
	}
	return names.join('/');
}

/** The error for an invalid path. */
export function refusedPath(path: string, why: string): OrchestraError {
	const shown = path.length > PATH_SHOWN_CHARACTERS ? `${path.slice(0, PATH_SHOWN_CHARACTERS)}…` : path;
	return new OrchestraError('bad_input', `the path ${JSON.stringify(shown)} ${why}`, {
		hint: 'Write a path below the root, with / between names, as in notes/today.md.',
		data: { code: 'storage_error', path: shown },
	});
}
