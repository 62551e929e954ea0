/* `mctl enable` and `mctl disable`. */
import { enabledEdit } from '../config/edit/enable-server.ts';
import type { Command, CommandInput } from './command.ts';
import { fileWithEntry, noteIfUnused, oneName, reportEdit, writeEdit } from './edit-servers.ts';

export async function switchServer(input: CommandInput, command: Command, isEnabled: boolean): Promise<void> {
	const name = oneName(input, command);
	const file = fileWithEntry(name, input, command);
	const word = isEnabled ? 'enabled' : 'disabled';
	const text = enabledEdit(file, name, isEnabled);
	const edit = { name, file, change: word, wasChanged: text !== undefined } as const;
	if (text === undefined) return reportEdit(input, edit, [`${name} is ${word} already in ${file.path}`]);
	await writeEdit(input, file, text);
	noteIfUnused(input, file);
	const mark = input.out.style(isEnabled ? 'green' : 'yellow', '~');
	reportEdit(input, edit, [`${mark} ${name} is ${word} in ${file.path}`]);
}
