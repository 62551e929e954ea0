/* Enable or disable a server: the key `disabled` of its entry. */

import { type ServerFile, writeServerFile } from '../config/edit/editable-files.ts';
import { removeJsonKey, setJsonKey } from '../config/edit/json-edit.ts';
import { OrchestraError } from '../errors.ts';
import { parseStdioUri } from '../process/stdio-uri.ts';
import { isObject } from '../wire/json.ts';
import type { Command, CommandInput } from './command.ts';
import { fileWith, noteIfUnused, oneName, reportEdit } from './edit-servers.ts';

export function switchServer(input: CommandInput, command: Command, isEnabled: boolean): void {
	const name = oneName(input, command);
	const file = fileWith(name, input, command);
	const word = isEnabled ? 'enabled' : 'disabled';
	const wasChanged = isOn(file.servers[name]) !== isEnabled;
	const edit = { name, file, change: word, wasChanged } as const;
	if (!wasChanged) return reportEdit(input, edit, [`${name} is ${word} already in ${file.path}`]);
	writeServerFile(file, isEnabled ? enabledText(file, name) : disabledText(file, name));
	noteIfUnused(input, file);
	const mark = input.out.style(isEnabled ? 'green' : 'yellow', '~');
	reportEdit(input, edit, [`${mark} ${name} is ${word} in ${file.path}`]);
}

function isOn(entry: unknown): boolean {
	return !isObject(entry) || (entry['disabled'] !== true && entry['enabled'] !== false);
}

function enabledText({ text }: ServerFile, name: string): string {
	const without = removeJsonKey(text, ['mcpServers', name, 'disabled']);
	return removeJsonKey(without, ['mcpServers', name, 'enabled']);
}

/** A `stdio:` URI has no room for a key, so it becomes an object. */
function disabledText({ text, servers, path }: ServerFile, name: string): string {
	const entry = servers[name];
	if (isObject(entry)) {
		const without = removeJsonKey(text, ['mcpServers', name, 'enabled']);
		return setJsonKey(without, ['mcpServers', name, 'disabled'], true);
	}
	if (typeof entry !== 'string') {
		throw new OrchestraError('bad_input', `mcpServers.${name} in ${path} is not an object`, {
			hint: `Correct it, or remove it: mctl remove ${name}`,
		});
	}
	const { command, args } = parseStdioUri(entry);
	return setJsonKey(text, ['mcpServers', name], { command, args, disabled: true });
}
