/* `mctl remove`: take a server entry out of the file that has it. */
import { removeJsonKey } from '../../config/edit/json-edit.ts';
import type { Command } from '../command.ts';
import { forgetPackage } from '../registry/pinned-packages.ts';
import { editFlags, fileWith, noteIfUnused, oneName, reportEdit, writeEdit } from './edit-servers.ts';

export const remove: Command = {
	usage: 'mctl remove <name> [-s project|user] [--json]',
	examples: ['mctl remove files', 'mctl remove files --scope user'],
	flags: editFlags,

	async run(input) {
		const name = oneName(input, remove);
		const file = fileWith(name, input, remove);
		await writeEdit(input, file, removeJsonKey(file.text, ['mcpServers', name]));
		await forgetPackage(name, file, input);
		noteIfUnused(input, file);
		reportEdit(input, { name, file, change: 'removed', wasChanged: true }, [
			`${input.out.style('red', '-')} ${name} in ${file.path}`,
		]);
	},
};
