/*
 * `PROMPTS_PATH` and `RESOURCES_PATH` must name folders that are there. Apart from the
 * library itself, so that a start can check them without loading it.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { OrchestraError } from '../errors.ts';

/** Throws `not_found` for a variable that names no folder: an empty library would hide the slip. One that a flag overrides does not count. */
export function assertLibraryFolders(
	environment: Readonly<NodeJS.ProcessEnv>,
	workingFolder: string,
	flags: { prompts?: string | undefined; resources?: string | undefined } = {},
): void {
	if (!flags.prompts) assertFolder('PROMPTS_PATH', environment, workingFolder);
	if (!flags.resources) assertFolder('RESOURCES_PATH', environment, workingFolder);
}

function assertFolder(
	variable: string,
	environment: Readonly<NodeJS.ProcessEnv>,
	workingFolder: string,
): void {
	const named = environment[variable];
	if (!named) return;
	const path = resolve(workingFolder, named);
	if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
	throw new OrchestraError('not_found', `${variable} names ${path}, and there is no such folder`, {
		hint: `Make the folder, or correct or unset ${variable}.`,
		data: { variable, path },
	});
}
