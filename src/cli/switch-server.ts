/* `mctl enable` and `mctl disable`. */
import { setServerEnabled } from '../config/edit/enable-server.ts';
import type { Command, CommandInput } from './command.ts';
import { fileWith, noteIfUnused, oneName, reportEdit } from './edit-servers.ts';

export function switchServer(input: CommandInput, command: Command, isEnabled: boolean): void {
	const name = oneName(input, command);
	const file = fileWith(name, input, command);
	const word = isEnabled ? 'enabled' : 'disabled';
	const wasChanged = setServerEnabled(file, name, isEnabled);
	const edit = { name, file, change: word, wasChanged } as const;
	if (!wasChanged) return reportEdit(input, edit, [`${name} is ${word} already in ${file.path}`]);
	noteIfUnused(input, file);
	const mark = input.out.style(isEnabled ? 'green' : 'yellow', '~');
	reportEdit(input, edit, [`${mark} ${name} is ${word} in ${file.path}`]);
}
