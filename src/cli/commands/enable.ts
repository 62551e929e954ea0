/* `mctl enable`: enable a server or a plugin without touching the rest of its entry. */
import type { Command } from '../command.ts';
import { editFlags } from '../edit-servers.ts';
import { switchServer } from '../switch-server.ts';

export const enable: Command = {
	usage: 'mctl enable <name> [-s project|user] [--json]',
	examples: ['mctl enable files', 'mctl enable tools.features', 'mctl enable files --scope user'],
	flags: editFlags,

	async run(input) {
		await switchServer(input, enable, true);
	},
};
