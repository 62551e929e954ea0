/* `mctl remove`: take a server entry out of the file that has it. */
import { removeJsonKey } from '../../config/edit/json-edit.ts';
import type { Command } from '../command.ts';
import { fileWith, noteIfUnused, oneName, scopeFlag, writeEdit } from '../edit-servers.ts';

export const remove: Command = {
	usage: 'mctl remove <name> [-s project|user]',
	examples: ['mctl remove files', 'mctl remove files --scope user'],
	flags: { scope: scopeFlag },

	async run(input) {
		const name = oneName(input, remove);
		const file = fileWith(name, input, remove);
		await writeEdit(input, file, removeJsonKey(file.text, ['mcpServers', name]));
		noteIfUnused(input, file);
		input.out.line(`${input.out.style('red', '-')} ${name} in ${file.path}`);
	},
};
