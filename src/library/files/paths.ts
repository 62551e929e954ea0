/*
 * Where the library is: as the command line says, else the environment, else
 * the configuration, else `./prompts` and `./resources`. Where nothing is named
 * and neither exists, it is the starter library that comes with this package.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { assertLibraryFolders } from '../../config/library-folders.ts';
import { packageRoot } from '../../files/package-root.ts';

/** The folders of a library. */
export interface LibraryPaths {
	prompts: string | undefined;
	resources: string | undefined;
}

/** Where the folders of a library may be set, in order of precedence. */
export interface PathSources {
	/** The paths on the command line. */
	flags?: Partial<LibraryPaths> | undefined;
	environment: Readonly<NodeJS.ProcessEnv>;
	/** The absolute paths of the configuration file. */
	configured?: Partial<LibraryPaths> | undefined;
	workingFolder: string;
}

/** The first source that names a folder decides. Throws `not_found` for a variable of the environment that names no folder. */
export function resolveLibraryPaths({
	flags,
	environment,
	configured,
	workingFolder,
}: PathSources): LibraryPaths {
	const { PROMPTS_PATH, RESOURCES_PATH } = environment;
	assertLibraryFolders(environment, workingFolder, flags);
	const named = [flags, { prompts: PROMPTS_PATH, resources: RESOURCES_PATH }, configured].map(withoutEmpty);
	const prompts = named.find((paths) => paths.prompts !== undefined)?.prompts;
	const resources = named.find((paths) => paths.resources !== undefined)?.resources;
	const local = { prompts: join(workingFolder, 'prompts'), resources: join(workingFolder, 'resources') };
	if (prompts !== undefined || resources !== undefined) {
		return {
			prompts: absolute(workingFolder, prompts) ?? existing(local.prompts),
			resources: absolute(workingFolder, resources) ?? existing(local.resources),
		};
	}
	return existsSync(local.prompts) || existsSync(local.resources) ? local : starterLibrary();
}

/** The library that comes with the package. */
export function starterLibrary(): { prompts: string; resources: string } {
	const root = join(packageRoot(), 'library');
	return { prompts: join(root, 'prompts'), resources: join(root, 'resources') };
}

function withoutEmpty(paths: Partial<LibraryPaths> | undefined): LibraryPaths {
	return { prompts: paths?.prompts || undefined, resources: paths?.resources || undefined };
}

function existing(path: string): string | undefined {
	return existsSync(path) ? path : undefined;
}

function absolute(workingFolder: string, path: string | undefined): string | undefined {
	return path === undefined ? undefined : resolve(workingFolder, path);
}
