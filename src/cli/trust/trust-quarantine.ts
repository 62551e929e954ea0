/* `mctl trust quarantine`: leave changed tools of an MCP server out until they are accepted. */
import { quarantineEdit } from '../../config/edit/quarantine-server.ts';
import type { Command } from '../command.ts';
import { editFlags, fileWith, noteIfUnused, oneName, reportEdit, writeEdit } from '../edit/edit-servers.ts';

export const trustQuarantine: Command = {
	usage: 'mctl trust quarantine <server> [-s project|user] [--json]',
	examples: ['mctl trust quarantine github', 'mctl trust quarantine github --scope user'],
	flags: editFlags,

	async run(input) {
		const name = oneName(input, trustQuarantine);
		const file = fileWith(name, input, trustQuarantine);
		const text = quarantineEdit(file, name);
		const edit = { name, file, change: 'quarantined', wasChanged: text !== undefined } as const;
		if (text === undefined)
			return reportEdit(input, edit, [`${name} has "pin": "quarantine" already in ${file.path}`]);
		await writeEdit(input, file, text);
		noteIfUnused(input, file);
		reportEdit(input, edit, [
			`Changed tools of ${name} are quarantined until you accept them (${file.path})`,
		]);
	},
};
