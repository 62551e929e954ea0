/*
 * The new text of every file of an import: our configuration with the chosen servers,
 * and the clients with our entry in their place. Nothing is written here.
 *
 * A server goes where it counted before: one of the user's files to the user's
 * configuration, one of a project to `orchestra.json`. Else a project would take away
 * from all others what the user has everywhere.
 */
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { OrchestraError } from '../../errors.ts';
import { readIfPresent } from '../../files/replace-file.ts';
import { setJsonKey } from '../edit/json-edit.ts';
import { removeYamlItems } from '../edit/yaml-list.ts';
import { bridgeEntry, continueFile, HUB_ENTRY_NAME, type Launches, launchFor } from './bridge-entry.ts';
import type { ClientFile } from './client-file.ts';
import type { ClientScope } from './client-table.ts';
import { editClientText } from './edit-client.ts';
import type { FoundServer } from './import-plan.ts';
import type { NormalEntry } from './normal-entry.ts';

/** A file with its bytes before and after; `before` is undefined for a new file. */
export interface PlannedFile {
	readonly path: string;
	readonly before: Buffer | undefined;
	/** The text that was edited: that of the file, or that of a new one. */
	readonly base: Buffer;
	readonly after: Buffer;
	/** The keys of every object or list that was edited. */
	readonly places: readonly (readonly string[])[];
	/** The scope of a configuration of ours; undefined for the file of a client. */
	readonly target?: ClientScope | undefined;
	/** Mode of a new file. */
	readonly mode: number;
}

/** One of our configuration files. */
export interface TargetFile {
	readonly path: string;
	readonly before: Buffer | undefined;
	/** The text to edit: that of the file, or a new one. */
	readonly text: string;
	readonly servers: Readonly<Record<string, NormalEntry>>;
	readonly mode: number;
}

export interface ImportEditsOptions {
	readonly files: readonly ClientFile[];
	readonly chosen: readonly FoundServer[];
	readonly targets: Readonly<Record<ClientScope, TargetFile | undefined>>;
	readonly launches: Launches;
	/** The folder of the project. */
	readonly project: string;
	/** Everything goes to the user's configuration. */
	readonly isForUser: boolean;
	/** The servers stay in the files of the clients too. */
	readonly keepsServers: boolean;
}

export interface ImportEdits {
	/** Files that change, our configuration first. */
	readonly files: readonly PlannedFile[];
	/** Client files that cannot be edited. Their servers are imported all the same. */
	readonly refused: readonly OrchestraError[];
}

export function planImportEdits(options: ImportEditsOptions): ImportEdits {
	const refused: OrchestraError[] = [];
	const planned = [
		...(['project', 'user'] as const).flatMap((scope) => plannedTarget(options, scope)),
		...options.files.flatMap((file) => {
			try {
				return plannedClient(options, file);
			} catch (error) {
				if (!OrchestraError.is(error, 'bad_input')) throw error;
				refused.push(error);
				return [];
			}
		}),
		...(['user', 'project'] as const).flatMap((scope) => plannedContinue(options, scope)),
	];
	return {
		files: planned.filter(({ before, after }) => before === undefined || !before.equals(after)),
		refused,
	};
}

function plannedTarget(options: ImportEditsOptions, scope: ClientScope): PlannedFile[] {
	const target = options.targets[scope];
	if (target === undefined) return [];
	const added = options.chosen.flatMap(({ name, entry, sources }): [string, NormalEntry][] => {
		const scopes = sources.map(({ server }) => (options.isForUser ? 'user' : server.scope));
		if (!scopes.includes(scope) || Object.hasOwn(target.servers, name)) return [];
		const isOfProject = sources.every(({ server }) => server.scope === 'project');
		return [[name, scope === 'user' && isOfProject ? inFolder(entry, options.project) : entry]];
	});
	if (added.length === 0 && (target.before !== undefined || scope === 'user')) return [];
	const text = added.reduce(
		(before, [name, entry]) => setJsonKey(before, ['mcpServers', name], entry),
		target.text,
	);
	const { path, before, mode } = target;
	const base = Buffer.from(target.text);
	return [{ path, before, base, after: Buffer.from(text), places: [['mcpServers']], target: scope, mode }];
}

/** A server of a project that becomes one of the user still runs in that project. */
function inFolder(entry: NormalEntry, project: string): NormalEntry {
	const { command, cwd, envFile, headersHelper } = entry;
	const path = (text: unknown): string | undefined =>
		typeof text !== 'string' ? undefined : /^(?:~|\$\{)/.test(text) ? text : resolve(project, text);
	if (typeof command !== 'string')
		return headersHelper === undefined ? entry : { ...entry, cwd: path(cwd) ?? project };
	return {
		...entry,
		command: /^\.{1,2}[/\\]/.test(command) ? join(project, command) : command,
		cwd: path(cwd) ?? project,
		...(envFile !== undefined && { envFile: path(envFile) }),
	};
}

function plannedClient(options: ImportEditsOptions, file: ClientFile): PlannedFile[] {
	const isList = file.client.id === 'continue';
	const stale = isList ? [] : file.servers.filter(({ isStale }) => isStale);
	const removed = [...(options.keepsServers ? [] : removedFrom(options, file)), ...stale];
	const add = isList || !getsEntry(options, file) ? undefined : selfEntryOf(options, file, removed);
	if (removed.length === 0 && add === undefined) return [];
	const { path, bytes, keys } = file;
	const change = { remove: removed, add: add === undefined ? [] : [{ ...add, keys }] };
	const text = editClientText(file, change);
	const places = [...change.add, ...removed].map((entry) => entry.keys);
	const unique = places.filter((each, at) => places.findIndex((one) => isDeepStrictEqual(one, each)) === at);
	return [{ path, before: bytes, base: bytes, after: Buffer.from(text), places: unique, mode: 0o600 }];
}

function removedFrom({ chosen }: ImportEditsOptions, file: ClientFile): ClientFile['servers'][number][] {
	return chosen.flatMap(({ sources }) =>
		sources.filter((source) => source.file === file).map(({ server }) => server),
	);
}

/** Every file of the user, and the file of a project whose servers are imported. */
function getsEntry(options: ImportEditsOptions, file: ClientFile): boolean {
	const { client, scope, servers } = file;
	if (hasOwn(file)) return false;
	if (scope === 'user' || servers.some(({ isStale }) => isStale)) return true;
	const hasUserFile = options.files.some((other) => other.client === client && other.scope === 'user');
	return removedFrom(options, file).length > 0 && !(client.showsBoth === true && hasUserFile);
}

function hasOwn({ servers }: ClientFile): boolean {
	return servers.some(({ isSelf, isStale }) => isSelf && !isStale);
}

function selfEntryOf(
	{ launches }: ImportEditsOptions,
	{ client, scope, keys, servers }: ClientFile,
	removed: ClientFile['servers'],
): { name: string; value: Record<string, unknown> } {
	const left = servers.filter((server) => !removed.includes(server) && server.keys.length === keys.length);
	const names = [HUB_ENTRY_NAME, `${HUB_ENTRY_NAME}-hub`, `${HUB_ENTRY_NAME}-hub-bridge`];
	const name = names.find((each) => left.every((server) => server.name !== each)) ?? HUB_ENTRY_NAME;
	return { name, value: bridgeEntry(client, launchFor(launches, client, scope)) };
}

/** Continue reads a folder of files, so our entry is a new one. */
function plannedContinue(options: ImportEditsOptions, scope: ClientScope): PlannedFile[] {
	const files = options.files.filter((file) => file.client.id === 'continue' && file.scope === scope);
	const [first] = files.filter((file) => getsEntry(options, file));
	if (first === undefined || files.some(hasOwn)) return [];
	const isInFolder = dirname(first.path).endsWith('mcpServers');
	const folder = isInFolder ? dirname(first.path) : join(dirname(first.path), 'mcpServers');
	const path = join(folder, `${HUB_ENTRY_NAME}.yaml`);
	const text = continueFile(launchFor(options.launches, first.client, scope));
	const before = readIfPresent(path);
	const base = before ?? Buffer.from(removeYamlItems(text, 'mcpServers', [0]));
	return [{ path, before, base, after: Buffer.from(text), places: [['mcpServers']], mode: 0o644 }];
}
