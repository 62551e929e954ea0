/* `mctl enable` and `mctl disable`. */
import { setServerEnabled } from '../config/edit/enable-server.ts';
import type { Command, CommandInput } from './command.ts';
import { fileWith, noteIfUnused, oneName } from './edit-servers.ts';

export function switchServer(input: CommandInput, command: Command, isEnabled: boolean): void {
	const name = oneName(input, command);
	const file = fileWith(name, input, command);
	const word = isEnabled ? 'enabled' : 'disabled';
	if (!setServerEnabled(file, name, isEnabled))
		return input.out.line(`${name} is ${word} already in ${file.path}`);
	noteIfUnused(input, file);
	input.out.line(
		`${input.out.style(isEnabled ? 'green' : 'yellow', '~')} ${name} is ${word} in ${file.path}`,
	);
}
