/* The name of a file that stays the same whichever link leads to its folder. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../errors.ts';

/** The folder without links, and the name of the file; not the target of a link, since paths in a file count from its folder. */
export function pathWithoutLinks(file: string): string {
	// The folder may be gone.
	return attempt(() => join(realpathSync(dirname(file)), basename(file)), file);
}
