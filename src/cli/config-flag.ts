/* The flag `--config` of commands that take a configuration file in place of those of the folder. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OrchestraError } from '../errors.ts';
import { quoted } from '../printable.ts';
import {
	type Command,
	type CommandInput,
	type Flag,
	nameOfCommand,
	textFlag,
	usageError,
} from './command.ts';

export const configFlag: Flag = { value: 'FILE', help: 'use this configuration file and no other' };

/** The path of the file; undefined without the flag. Throws `bad_input` when there is none, or it is a folder. */
export function configFile(input: CommandInput, command: Command): string | undefined {
	const file = textFlag(input, 'config');
	if (file === undefined) return undefined;
	const path = resolve(input.cwd, file);
	const found = statSync(path, { throwIfNoEntry: false });
	if (found === undefined) throw usageError(command, `there is no configuration file ${file}`);
	if (!found.isDirectory()) return path;
	const [name] = ['orchestra.json', '.mcp.json'].filter((each) => existsSync(join(path, each)));
	const there = `cd ${quoted(file)} && ${nameOfCommand(command)}`;
	throw new OrchestraError('bad_input', `--config takes a file, and ${file} is a folder`, {
		hint:
			name === undefined
				? `There is no orchestra.json in it. To use its tools: ${there}`
				: `Write --config ${quoted(join(file, name))}, or: ${there}`,
	});
}
