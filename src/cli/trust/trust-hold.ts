/* `mctl trust hold`: leave changed tools of an MCP server out until they are accepted. */
import { quarantineEdit } from '../../config/edit/hold-server.ts';
import type { Command } from '../command.ts';
import { editFlags, fileWith, noteIfUnused, oneName, reportEdit, writeEdit } from '../edit/edit-servers.ts';

export const trustHold: Command = {
	usage: 'mctl trust hold <server> [-s project|user] [--json]',
	examples: ['mctl trust hold github', 'mctl trust hold github --scope user'],
	flags: editFlags,

	async run(input) {
		const name = oneName(input, trustHold);
		const file = fileWith(name, input, trustHold);
		const text = quarantineEdit(file, name);
		const edit = { name, file, change: 'held', wasChanged: text !== undefined } as const;
		if (text === undefined)
			return reportEdit(input, edit, [`${name} has "pin": "quarantine" already in ${file.path}`]);
		await writeEdit(input, file, text);
		noteIfUnused(input, file);
		reportEdit(input, edit, [
			`Changed tools of ${name} are quarantined until you accept them (${file.path})`,
		]);
	},
};
