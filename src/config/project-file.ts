/*
 * Where the configuration of a project is: in the working directory or the nearest
 * folder above it, no higher than the repository. Who only needs to know the place
 * need not read what is there.
 */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCode } from '../errors.ts';

/** The plugins of an existing Orchestra. */
export const PLUGINS_FILE = 'plugins.yaml';

const projectNames = ['orchestra.json', '.mcp.json', PLUGINS_FILE];

/** The file that speaks for the project; undefined when there is none. */
export function findProjectFile(cwd: string, home: string | undefined): string | undefined {
	for (let folder = cwd; ; folder = dirname(folder)) {
		const found = projectNames.map((name) => join(folder, name)).find(isThere);
		const isTop = folder === dirname(folder) || folder === home || exists(join(folder, '.git'));
		if (found !== undefined || isTop) return found;
	}
}

/** The folder of the configuration: that of the project's file, else the working directory. */
export function projectRoot(cwd: string, home: string | undefined): string {
	const file = findProjectFile(cwd, home);
	return file === undefined ? cwd : dirname(file);
}

/** A pipe or a circle of links with the name of the file is found too: reading it tells what is wrong. */
function isThere(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
	} catch (error) {
		return isCode(error, 'ELOOP');
	}
}

function exists(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		return false; // a folder that may not be looked into has nothing for us
	}
}
