/* Folders that are created for a while: which ones they will be, and their removal when nothing is in them. */
import { existsSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { attempt } from '../errors.ts';

/** The folders on the way to `folder` that do not exist, outermost first. */
export function missingFolders(folder: string): string[] {
	return existsSync(folder) || dirname(folder) === folder ? [] : [...missingFolders(dirname(folder)), folder];
}

/** Remove those that are empty by now. */
export function removeEmptyFolders(outermostFirst: readonly string[]): void {
	for (const folder of [...outermostFirst].reverse()) {
		// Something else may be in it by now.
		attempt(() => rmdirSync(folder));
	}
}
