/*
 * Make a folder and those above it.
 *
 * `mkdir` of Node with `recursive` never returns where a folder cannot be made although
 * its parent exists, as in /proc or below the root of an automounter.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { attempt } from '../errors.ts';

/** Returns false when the folder exists already. System errors pass through. `mode` is that of all new folders. */
export function makeFolders(path: string, mode = 0o777): boolean {
	const parent = dirname(resolve(path));
	// The root of a missing drive is its own parent.
	if (parent !== resolve(path) && !existsSync(parent)) makeFolders(parent, mode);
	try {
		mkdirSync(path, { mode });
		return true;
	} catch (error) {
		if (isFolder(path)) return false;
		throw error;
	}
}

export function isFolder(path: string): boolean {
	// The error of `mkdir` says why.
	return attempt(() => statSync(path).isDirectory(), false);
}
