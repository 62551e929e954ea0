/* The view that `--view` names: a part of the tools, from the configuration of this folder. */
import { loadConfiguration } from '../config/load.ts';
import { OrchestraError } from '../errors.ts';
import { type ToolFilter, viewFilter } from '../hub/expose/tool-filter.ts';
import { serverNamesOf } from '../trust/tool-name.ts';
import { type Command, type CommandInput, textFlag, usageError } from './command.ts';

type FlagInput = Pick<CommandInput, 'flags' | 'cwd' | 'environment'>;

/** Undefined without the flag. Throws a usage error that names the views for an unknown one. */
export function viewOfFlag(input: FlagInput, command: Command, file?: string): string | undefined {
	filterOfFlag(input, command, file);
	return textFlag(input, 'view');
}

/** The tools of the view; all of them without the flag. Throws like `viewOfFlag`. */
export function filterOfFlag(input: FlagInput, command: Command, file?: string): ToolFilter {
	const view = textFlag(input, 'view');
	if (view === undefined) return () => true;
	const { cwd, environment } = input;
	const { configuration } = loadConfiguration({ cwd, environment, file });
	try {
		const isIn = viewFilter(configuration, view);
		const servers = serverNamesOf(configuration.mcpServers);
		return (name) => isIn(servers.read(name));
	} catch (error) {
		throw usageError(command, OrchestraError.from(error).message);
	}
}
