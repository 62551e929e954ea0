/*
 * The configuration files that may have an entry of `mcpServers` or `plugins`, to edit one of them.
 *
 * A project has `orchestra.json`, or the `.mcp.json` of any client: whichever has the
 * entry is edited. A new entry goes to the file that is in use, since a new
 * `orchestra.json` would take the place of an `.mcp.json`.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { readIfPresent } from '../../files/replace-file.ts';
import { isObject } from '../../wire/json.ts';
import { userFile } from '../load.ts';
import { registryFile } from '../plugin-registry.ts';
import { parseConfigText } from '../plugins-yaml.ts';
import { findProjectFile, PLUGINS_FILE } from '../project-file.ts';
import { editConfigFile } from './edit-config-file.ts';

export type EntryScope = 'project' | 'user';

/** A plugin as it is written. */
export interface PluginPlace {
	readonly id: string;
	readonly path: readonly (string | number)[];
	readonly entry: Readonly<Record<string, unknown>>;
}

/** A file, and the servers and plugins in it as they are written. */
export interface ServerFile {
	readonly scope: EntryScope;
	readonly path: string;
	readonly bytes: Buffer | undefined;
	readonly text: string;
	readonly servers: Readonly<Record<string, unknown>>;
	/** Undefined when the file has no key `plugins`. */
	readonly plugins: readonly PluginPlace[] | undefined;
}

/** The files of a scope that may have entries, the one in use first. The first may not exist yet. */
export function serverFiles(
	scope: EntryScope,
	cwd: string,
	environment: Readonly<NodeJS.ProcessEnv>,
): ServerFile[] {
	if (scope === 'user') {
		const path = userFile(environment);
		if (path !== undefined) return [readServerFile(scope, path)];
		throw new OrchestraError('bad_input', 'there is no home folder for a configuration of the user', {
			hint: 'Set HOME, or use --scope project.',
		});
	}
	const found = findProjectFile(cwd, environment['HOME']);
	const folder = found === undefined ? cwd : dirname(found);
	const names = ['orchestra.json', '.mcp.json'].filter((name) => existsSync(join(folder, name)));
	return (names.length > 0 ? names : ['orchestra.json']).map((name) =>
		readServerFile(scope, join(folder, name)),
	);
}

/** The same, with the files that have only plugins. */
export function entryFiles(
	scope: EntryScope,
	cwd: string,
	environment: Readonly<NodeJS.ProcessEnv>,
): ServerFile[] {
	const files = serverFiles(scope, cwd, environment);
	const [first] = files;
	const more =
		scope === 'user' ? registryFile(environment) : first && join(dirname(first.path), PLUGINS_FILE);
	return more !== undefined && existsSync(more) ? [...files, readServerFile(scope, more)] : files;
}

/**
 * Replace the text of the file by a text, or by what `edit` makes of the file as it is now; a text that another program
 * wrote since it was read is left alone. Returns the reason when a file of the project is not trusted afterwards.
 */
export function writeServerFile(
	{ path, bytes, scope }: ServerFile,
	edit: string | ((now: ServerFile) => string),
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
	const file = { path, isOfUser: scope === 'user' };
	return typeof edit === 'string'
		? editConfigFile({ ...file, expected: { bytes } }, () => edit, environment)
		: editConfigFile(file, (text) => edit(parseServerFile({ scope, path, bytes, text })), environment);
}

/** The entries of one file. Throws `bad_input` when it does not parse. */
export function readServerFile(scope: EntryScope, path: string): ServerFile {
	const bytes = readIfPresent(path);
	return parseServerFile({ scope, path, bytes, text: bytes?.toString('utf8') ?? '' });
}

function parseServerFile({ scope, path, bytes, text }: Omit<ServerFile, 'servers' | 'plugins'>): ServerFile {
	const value = text.trim() === '' ? {} : parseConfigText(text, path).value;
	const { mcpServers: servers, plugins } = isObject(value) ? value : {};
	return {
		scope,
		path,
		bytes,
		text,
		servers: isObject(servers) ? servers : {},
		plugins: plugins === undefined ? undefined : pluginPlaces(plugins),
	};
}

/** A list, or the map of another Orchestra's registry. */
function pluginPlaces(plugins: unknown): PluginPlace[] {
	const members: [string | number, unknown][] = Array.isArray(plugins)
		? [...plugins.entries()]
		: Object.entries(isObject(plugins) ? plugins : {});
	return members.flatMap(([key, entry]) =>
		isObject(entry) && typeof entry['id'] === 'string'
			? [{ id: entry['id'], path: ['plugins', key], entry }]
			: [],
	);
}
