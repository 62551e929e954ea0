/* `mctl types`: TypeScript types of the tools, and a client that uses them. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { type ListedItem, listAll } from '../hub-client/hub-items.ts';
import { withHub } from '../hub-client/hub-session.ts';
import { isOfServer, nameOf } from '../target/find-target.ts';
import { serverNamed } from '../target/server-named.ts';
import { filterOfFlag } from '../view-flag.ts';
import { typedClient } from './typed-client.ts';

export const types: Command = {
	usage: 'mctl types [SERVER] [--out FILE] [--view NAME]',
	examples: ['mctl types > tools.ts', 'mctl types files --out src/files.ts'],
	flags: {
		out: { type: 'string', value: 'FILE', help: 'write to this file (default: stdout)' },
		view: { type: 'string', value: 'NAME', help: 'only the tools of this view' },
	},

	async run(input) {
		const { args, flags, cwd, out } = input;
		if (args.length > 1) throw usageError(types, `mctl types takes one server, not ${args.length}`);
		const tools = await chosenTools(input, args[0]);
		const text = typedClient(tools, ['mctl', 'serve']);
		if (typeof flags['out'] !== 'string') return out.write(text);
		writeFileSync(resolve(cwd, flags['out']), text);
		out.note(`mctl: ${tools.length} tools written to ${flags['out']}`);
	},
};

async function chosenTools(input: CommandInput, server: string | undefined): Promise<ListedItem[]> {
	const isIn = filterOfFlag(input, types);
	const { configuration, blocked } = loadConfiguration(input);
	const enabled = configuration.mcpServers.filter(({ isEnabled }) => isEnabled);
	if (server !== undefined) serverNamed(enabled, server, blocked);
	const needs = server === undefined ? undefined : { servers: [server], hasPlugins: false };
	const all = await withHub(input, (session) => listAll(session, 'tools'), {
		listWaitMs: COMMAND_START_WAIT_MS,
		needs,
	});
	const tools = all.filter(
		(tool) => isIn(nameOf(tool)) && (server === undefined || isOfServer(tool, server)),
	);
	if (tools.length > 0) return tools;
	throw new OrchestraError(
		'not_found',
		`there are no tools${server === undefined ? ' here' : ` of ${server}`}`,
		{
			hint: '`mctl list servers --check` shows which servers start, and why others do not.',
		},
	);
}
