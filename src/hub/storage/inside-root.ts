/*
 * Resolve a checked path to a real path inside the root.
 *
 * Links are followed and their targets must be inside: a link that leaves the root is
 * rejected for reading and writing, and so is a dangling link. The returned path
 * contains no links.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { isInside } from '../../files/is-inside.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { refusedPath } from './storage-path.ts';

/** The real path of a file or folder; undefined when it does not exist. Throws `bad_input` when it is outside. */
export async function findInside(root: string, path: string): Promise<string | undefined> {
	const realRoot = await realpathOrNone(root);
	if (realRoot === undefined) return undefined;
	const real = await realpathOrNone(join(realRoot, path));
	if (real !== undefined) return checkInside(realRoot, real, path);
	await checkNearest(realRoot, path);
	return undefined;
}

/** The real path for a file to be written; its folders are created. Throws `bad_input` when it is outside. */
export async function makeInside(root: string, path: string): Promise<string> {
	makeFolder(root, path);
	const existing = await findInside(root, path);
	if (existing !== undefined) return existing;
	const folder = dirname(path);
	makeFolder(join(root, folder), path);
	const realFolder = await findInside(root, folder);
	if (realFolder === undefined) throw gone(path);
	return join(realFolder, basename(path));
}

function checkInside(root: string, place: string, path: string): string {
	if (!isInside(place, root)) throw refusedPath(path, 'leads out of the root through a link');
	return place;
}

/** A missing file would be created in the nearest existing folder, which must be inside too. */
async function checkNearest(root: string, path: string): Promise<void> {
	for (let above = path; above !== '.' && above !== ''; above = dirname(above)) {
		const place = join(root, above);
		const found = await lstat(place).catch(() => undefined);
		if (!found) continue;
		const real = await realpathOrNone(place);
		if (real === undefined) throw refusedPath(path, 'is a link that leads to nothing');
		checkInside(root, real, path);
		return;
	}
}

function makeFolder(folder: string, path: string): void {
	try {
		makeFolders(folder);
	} catch (error) {
		if (isCode(error, 'EEXIST', 'ENOTDIR')) throw refusedPath(path, 'has a file where a folder must be');
		throw ioError(`cannot make the folder of ${path}`, error);
	}
}

async function realpathOrNone(place: string): Promise<string | undefined> {
	try {
		return await realpath(place);
	} catch (error) {
		if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
		if (isCode(error, 'ELOOP')) throw refusedPath(basename(place), 'is a link that leads to itself');
		throw ioError(`cannot look at ${place}`, error);
	}
}

function gone(path: string): OrchestraError {
	return new OrchestraError('io', `the folder of ${path} was removed while it was written`, {
		data: { code: 'storage_error', path },
	});
}

/** An error of the operating system as `io`. */
export function ioError(what: string, cause: unknown): OrchestraError {
	if (OrchestraError.is(cause)) return cause;
	return new OrchestraError('io', `${what}: ${messageOf(cause)}`, { cause, data: { code: 'storage_error' } });
}
