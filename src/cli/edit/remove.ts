/* `mctl remove`: take a server entry out of the file that has it. */
import { removeJsonKey } from '../../config/edit/json-edit.ts';
import { messageOf } from '../../errors.ts';
import type { Command } from '../command.ts';
import { changeOf } from '../registry/pinned-packages.ts';
import { endUnfinished, removeLeftovers, withRecord } from '../registry/unfinished-change.ts';
import { editFlags, fileWith, noteIfUnused, oneName, reportEdit, writeEdit } from './edit-servers.ts';

export const remove: Command = {
	usage: 'mctl remove <name> [-s project|user] [--json]',
	examples: ['mctl remove files', 'mctl remove files --scope user'],
	flags: editFlags,

	async run(input) {
		const { out, environment } = input;
		const name = oneName(input, remove);
		await endUnfinished(environment);
		const file = fileWith(name, input, remove);
		const change = changeOf(name, file, environment);
		await withRecord(change, environment, async () => {
			await writeEdit(input, file, removeJsonKey(file.text, ['mcpServers', name]));
			// The entry is gone, so this is done also when it cannot be whole.
			await removeLeftovers(change, environment).catch((error: unknown) =>
				out.note(`note: ${messageOf(error)}`),
			);
		});
		noteIfUnused(input, file);
		reportEdit(input, { name, file, change: 'removed', wasChanged: true }, [
			`${out.style('red', '-')} ${name} in ${file.path}`,
		]);
	},
};
