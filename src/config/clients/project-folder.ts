/*
 * The folder of the project as clients name it to the servers that they start: in the
 * answer to `roots/list`, or in a variable.
 *
 * - Claude Code sets CLAUDE_PROJECT_DIR for stdio servers (since 2.1.141).
 * - Cursor sets WORKSPACE_FOLDER_PATHS: a path, or several as a JSON list or with commas.
 */
import { statSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt } from '../../errors.ts';
import { findProjectFile } from '../project-file.ts';

const variables = ['CLAUDE_PROJECT_DIR', 'WORKSPACE_FOLDER_PATHS'];

/** The folder that the environment names; undefined when it names none that exists. */
export function clientFolderOf(environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
	const folders = variables.flatMap((name) => pathsIn(environment[name] ?? ''));
	return chosenFolder(folders, environment['HOME']);
}

/** The folder among the roots of a client; undefined when none is a folder of this machine. */
export function rootFolder(
	uris: readonly string[],
	environment: Readonly<NodeJS.ProcessEnv>,
): string | undefined {
	return chosenFolder(uris.flatMap(pathOf), environment['HOME']);
}

/** The first that has the file of a project, in it or above; else the first. */
function chosenFolder(paths: readonly string[], home: string | undefined): string | undefined {
	const folders = paths.filter(isFolder);
	return folders.find((folder) => findProjectFile(folder, home) !== undefined) ?? folders[0];
}

function pathsIn(value: string): string[] {
	if (isFolder(value)) return [value];
	try {
		const list: unknown = JSON.parse(value);
		return Array.isArray(list) ? list.filter((path) => typeof path === 'string') : [];
	} catch {
		return value.split(value.includes(',') ? ',' : delimiter).map((path) => path.trim());
	}
}

function pathOf(uri: string): string[] {
	// A URI of another machine has no path here.
	return attempt(() => (uri.startsWith('file:') ? [fileURLToPath(uri)] : []), []);
}

function isFolder(path: string): boolean {
	// We may not enter the folder.
	return attempt(
		() => isAbsolute(path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false),
		false,
	);
}
