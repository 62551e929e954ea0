/*
 * Find the configuration file of a project: in the working directory or the nearest
 * folder above it, up to the repository root. It is not read here.
 */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, isCode } from '../errors.ts';

/** The plugins of an existing Orchestra. */
export const PLUGINS_FILE = 'plugins.yaml';

/** The pins of the MCP servers of a project, beside its file. */
export const LOCK_FILE = 'orchestra.lock';

/** The names of a project file, in the order of precedence. */
export const projectNames: readonly string[] = ['orchestra.json', '.mcp.json', PLUGINS_FILE];

/** The configuration file of the project; undefined when there is none. */
export function findProjectFile(cwd: string, home: string | undefined): string | undefined {
	for (let folder = cwd; ; folder = dirname(folder)) {
		const found = projectNames.map((name) => join(folder, name)).find(isCandidate);
		const isTop = folder === dirname(folder) || folder === home || exists(join(folder, '.git'));
		if (found !== undefined || isTop) return found;
	}
}

/** The folder of the configuration: that of the project's file, else the working directory. */
export function projectRoot(cwd: string, home: string | undefined): string {
	const file = findProjectFile(cwd, home);
	return file === undefined ? cwd : dirname(file);
}

/** A pipe or a symlink loop with the name counts too: reading it reports the problem. */
function isCandidate(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
	} catch (error) {
		return isCode(error, 'ELOOP');
	}
}

export function exists(path: string): boolean {
	// An unreadable folder counts as empty.
	return attempt(() => statSync(path, { throwIfNoEntry: false }) !== undefined, false);
}
