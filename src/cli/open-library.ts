/* The library that a command works on, from its flags, the environment or the working folder. */
import { loadConfiguration } from '../config/load.ts';
import { resolveLibraryPaths } from '../library/files/paths.ts';
import { Library } from '../library/library.ts';
import { type CommandInput, type Flag, jsonFlag, textFlag } from './command.ts';

/** Flags of every command that reads the library. */
export const libraryFlags: Readonly<Record<'prompts' | 'resources' | 'json', Flag>> = {
	prompts: { value: 'DIR', help: 'folder of prompts (default PROMPTS_PATH, ./prompts)' },
	resources: { value: 'DIR', help: 'folder of resources (default RESOURCES_PATH, ./resources)' },
	json: jsonFlag,
};

/** The part of the library that a command reads: everything, or resources without the time that prompts take. */
type Part = 'all' | 'resources';

/** Open the library, do `work` with it, and close it in any case. */
export async function withLibrary<T>(
	{ flags, cwd, environment, out }: Pick<CommandInput, 'flags' | 'cwd' | 'environment' | 'out'>,
	work: (library: Library) => Promise<T>,
	part: Part = 'all',
): Promise<T> {
	const { configuration } = loadConfiguration({ cwd, environment });
	const paths = resolveLibraryPaths({
		flags: { prompts: textFlag({ flags }, 'prompts'), resources: textFlag({ flags }, 'resources') },
		environment,
		configured: configuration.library,
		workingFolder: cwd,
	});
	// A command logs warnings only.
	const level = environment['LOG_LEVEL'] ?? 'warn';
	const log = out.log('library', { ...environment, LOG_LEVEL: level });
	const library = Library.open({ ...paths, ...(part === 'resources' && { prompts: undefined }), log });
	try {
		return await work(library);
	} finally {
		await library.close();
	}
}
