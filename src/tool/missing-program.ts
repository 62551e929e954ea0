/* Is what a tool needs to start installed? A tool that cannot start is not listed. */
import { basename } from 'node:path';
import { OrchestraError } from '../errors.ts';
import { childEnvironment } from '../process/environment.ts';
import { findCommand } from '../process/find-command.ts';
import { type DiscoveredTool, spawnRecordOf } from './tool.ts';

/** The program that must be installed: for a script that starts itself, the interpreter of its first line. */
export function programOf(tool: DiscoveredTool, environment: Readonly<NodeJS.ProcessEnv>): string {
	const { command } = spawnRecordOf(tool, environment);
	const isItself = command === tool.file && tool.runsOn !== basename(tool.file);
	return isItself ? tool.runsOn : command;
}

/** The error of a tool whose program is not installed; undefined when it is. */
export function missingProgram(
	tool: DiscoveredTool,
	environment: Readonly<NodeJS.ProcessEnv>,
): OrchestraError | undefined {
	const program = programOf(tool, environment);
	try {
		findCommand(program, tool.folder, childEnvironment(environment));
		return undefined;
	} catch (error) {
		const { message, hint } = OrchestraError.from(error);
		if (/[/\\]/.test(program)) return new OrchestraError('spawn', message, { hint });
		const needs = `${tool.id} needs ${program}, which is not installed`;
		return new OrchestraError('spawn', needs, { hint, data: { tool: tool.id, program } });
	}
}
