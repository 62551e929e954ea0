/* The view that `--view` names: a part of the tools, from the configuration of this folder. */
import { loadConfiguration } from '../config/load.ts';
import { OrchestraError } from '../errors.ts';
import { viewFilter } from '../hub/expose/tool-filter.ts';
import { type Command, type CommandInput, usageError } from './command.ts';

/** Undefined without the flag. Throws a usage error that names the views for one that is not configured. */
export function chosenView(
	{ flags, environment }: Pick<CommandInput, 'flags' | 'environment'>,
	command: Command,
	file?: string,
): string | undefined {
	const { view } = flags;
	if (typeof view !== 'string') return undefined;
	const { configuration } = loadConfiguration({ cwd: process.cwd(), environment, file });
	try {
		viewFilter(configuration.views, view);
	} catch (error) {
		throw usageError(command, OrchestraError.from(error).message);
	}
	return view;
}
