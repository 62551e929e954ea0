/* `mctl record`: a program's MCP conversation, or those of all servers of the hub, to a file. */
import { resolve } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { userRecordings } from '../../record/recording-files.ts';
import { type Command, type CommandInput, textFlag, usageError } from '../command.ts';

export const record: Command = {
	usage: 'mctl record [--to DIR] [-- <command> [args…]]',
	examples: [
		'mctl record -- npx -y @modelcontextprotocol/server-everything',
		'mctl record --to recordings -- node server.js --verbose',
		'claude mcp add recorded -- mctl record -- node server.js',
		'mctl record --to recordings',
	],
	flags: {
		to: { value: 'DIR', help: 'where to write (default: recordings of the state folder)' },
	},
	args: [0, Number.POSITIVE_INFINITY, 'a command'],
	isServer: true,

	async run(input) {
		const folder = folderOf(input);
		if (input.args.length > 0) {
			const { recordProgram } = await import('./record-program.ts');
			return recordProgram(input, folder);
		}
		const { serveHere } = await import('../commands/serve.ts');
		input.out.info(`mctl: the servers of this folder are recorded in ${folder}`);
		return serveHere(input, { narrow: (configuration) => withRecordings(configuration, folder) });
	},
};

function folderOf(input: CommandInput): string {
	const { cwd, environment, out } = input;
	const to = textFlag(input, 'to');
	if (to === '') throw usageError(record, '--to is empty; it takes a folder');
	const log = { warn: (line: string) => out.info(`mctl: ${line}`) };
	return to === undefined ? userRecordings(environment, log) : resolve(cwd, to);
}

function withRecordings(configuration: Configuration, folder: string): Configuration {
	const mcpServers = configuration.mcpServers.map((entry) => ({
		...entry,
		settings: { ...entry.settings, record: folder },
	}));
	return { ...configuration, mcpServers };
}
