/*
 * Enable or disable a server or a plugin, or quarantine changed tools of a server. The rest of the file stays as it is.
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
	const { text, servers } = file;
	if (!Object.hasOwn(servers, name)) return pluginEdit(file, name, isEnabled);
	if (isOn(servers[name]) === isEnabled) return undefined;
	const without = isObject(servers[name]) ? removeJsonKey(text, ['mcpServers', name, 'enabled']) : text;
	return isEnabled
		? removeJsonKey(without, ['mcpServers', name, 'disabled'])
		: textWithKey({ ...file, text: without }, name, { disabled: true });
}

/** The text with `"pin": "quarantine"` at the server. Undefined when it has it already. */
export function quarantineEdit(file: ServerFile, name: string): string | undefined {
	const entry = file.servers[name];
	if (isObject(entry) && entry['pin'] === 'quarantine') return undefined;
	return textWithKey(file, name, { pin: 'quarantine' });
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

/** A `stdio:` URI has no room for a key, so it becomes an object. */
function textWithKey(
	{ text, servers, path }: ServerFile,
	name: string,
	added: { disabled: true } | { pin: 'quarantine' },
): string {
	const entry = servers[name];
	const [[key, value] = ['', true]] = Object.entries(added);
	if (isObject(entry)) return setJsonKey(text, ['mcpServers', name, key], value);
	if (typeof entry !== 'string') {
		throw new OrchestraError('bad_input', `mcpServers.${name} in ${path} is neither an object nor a URI`, {
			hint: `Correct it, or remove it: mctl remove ${name}`,
		});
	}
	const { command, args } = parseStdioUri(entry);
	return setJsonKey(text, ['mcpServers', name], { command, args, ...added });
}
