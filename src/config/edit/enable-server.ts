/* Enable or disable a server: the key `disabled` of its entry. The rest of the file stays as it is. */
import { OrchestraError } from '../../errors.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { isObject } from '../../wire/json.ts';
import type { ServerFile } from './editable-files.ts';
import { removeJsonKey, setJsonKey } from './json-edit.ts';

/** The text with the server enabled or disabled. Undefined when it is so already. */
export function enabledEdit(file: ServerFile, name: string, isEnabled: boolean): string | undefined {
	if (isOn(file.servers[name]) === isEnabled) return undefined;
	return isEnabled ? enabledText(file, name) : disabledText(file, name);
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
