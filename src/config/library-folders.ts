/*
 * `PROMPTS_PATH` and `RESOURCES_PATH` must name existing folders. Separate from the
 * library, so that a start can check them without loading it.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { OrchestraError } from '../errors.ts';

/** Throws `not_found` for a variable that names a missing folder; an empty library would hide the mistake. Flags override variables. */
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
		hint: `Create the folder, or correct or unset ${variable}.`,
		data: { variable, path },
	});
}
