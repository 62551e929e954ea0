/*
 * Enable or disable a server or a plugin. The rest of the file stays as it is.
 *
 * A server gets the key `disabled`, which is removed when it is enabled again. A plugin gets
 * `enabled`, which stays: other programs that read its file take an absent key as false.
 */
import { OrchestraError } from '../../errors.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { isObject } from '../../wire/json.ts';
import { isPluginsYaml } from '../plugins-yaml.ts';
import type { PluginPlace, ServerFile } from './editable-files.ts';
import { removeJsonKey, setJsonKey } from './json-edit.ts';
import { setYamlFlag } from './yaml-flag.ts';

/** The text with the server or plugin enabled or disabled. Undefined when it is so already. */
export function enabledEdit(file: ServerFile, name: string, isEnabled: boolean): string | undefined {
	if (!Object.hasOwn(file.servers, name)) return pluginEdit(file, name, isEnabled);
	if (isOn(file.servers[name]) === isEnabled) return undefined;
	return isEnabled ? enabledText(file, name) : disabledText(file, name);
}

function isOn(entry: unknown): boolean {
	return !isObject(entry) || (entry['disabled'] !== true && entry['enabled'] !== false);
}

function pluginEdit({ text, path, plugins = [] }: ServerFile, id: string, isEnabled: boolean) {
	const set = isPluginsYaml(path) ? setYamlFlag : setJsonKey;
	const changed = plugins.filter((place) => place.id === id && isOn(place.entry) !== isEnabled);
	if (changed.length === 0) return undefined;
	return changed
		.flatMap((place) => flagsOf(place, isEnabled))
		.reduce((before, [key, value]) => set(before, key, value), text);
}

/** The flags that the entry has; `enabled` when it has none. */
function flagsOf({ path, entry }: PluginPlace, isEnabled: boolean): [(string | number)[], boolean][] {
	const flags = { disabled: !isEnabled, enabled: isEnabled };
	const own = Object.entries(flags).filter(([key]) => Object.hasOwn(entry, key));
	const chosen = own.length > 0 ? own : [['enabled', isEnabled] as const];
	return chosen.map(([key, value]) => [[...path, key], value]);
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
