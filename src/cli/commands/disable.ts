/* `mctl disable`: disable a server or a plugin without touching the rest of its entry. */
import type { Command } from '../command.ts';
import { editFlags } from '../edit-servers.ts';
import { switchServer } from '../switch-server.ts';

export const disable: Command = {
	usage: 'mctl disable <name> [-s project|user] [--json]',
	examples: ['mctl disable files', 'mctl disable tools.features', 'mctl disable files --scope user'],
	flags: editFlags,

	async run(input) {
		await switchServer(input, disable, false);
	},
};
