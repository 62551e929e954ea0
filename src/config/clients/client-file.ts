/*
 * The servers in the configuration file of a client, in our normal form.
 *
 * A server that only its client can run (an extension, a value it asks for) has a
 * `reason` in place of an entry. It stays where it is.
 */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { isObject, ownEntry } from '../../wire/json.ts';
import { CLIENT_FILE_LIMIT_BYTES } from '../config-limits.ts';
import { isSelfCommand } from '../self-entry.ts';
import { parseClientText, type WrittenEntry, writtenEntries } from './client-document.ts';
import { type ClientInput, inputsOf } from './client-inputs.ts';
import type { ClientLocation, ClientScope } from './client-table.ts';
import { lostSettings } from './lost-settings.ts';
import { hasForeignSandbox, type NormalEntry, normalEntry } from './normal-entry.ts';
import { translateReferences } from './references.ts';

export interface ClientServer {
	readonly name: string;
	/** The keys from the top of the file to the object with the servers. */
	readonly keys: readonly string[];
	/** The position in a list of servers. */
	readonly index?: number | undefined;
	readonly scope: ClientScope;
	/** Undefined when it cannot be taken over. */
	readonly entry: NormalEntry | undefined;
	/** Why it cannot be. */
	readonly reason?: string | undefined;
	/** It could be taken over with values of the user, whose places are still `${input:id}` in this entry. */
	readonly askable?: { readonly entry: NormalEntry; readonly inputs: readonly ClientInput[] } | undefined;
	/** The settings that an import cannot take, each with the reason. */
	readonly lost?: readonly string[];
	/** It starts this program. */
	readonly isSelf: boolean;
	/** It starts this program from a place where it is no more. */
	readonly isStale?: boolean;
}

export interface ClientFile extends ClientLocation {
	readonly bytes: Buffer;
	readonly text: string;
	/** Where our own entry goes. */
	readonly keys: readonly string[];
	readonly servers: readonly ClientServer[];
	/** Other projects in the same file that have servers. */
	readonly otherProjects: readonly string[];
}

/** Read a file. Throws `bad_input` naming the line; system errors pass through. */
export function readClientFile(location: ClientLocation, project: string): ClientFile {
	const { path, client } = location;
	const bytes = readRegularFile(path, CLIENT_FILE_LIMIT_BYTES);
	const text = bytes.toString('utf8');
	if (!Buffer.from(text).equals(bytes)) {
		throw new OrchestraError('bad_input', `${path} is not UTF-8`, { hint: 'Save it as UTF-8.' });
	}
	const value = parseClientText(text, path);
	if (!isObject(value)) {
		throw new OrchestraError('bad_input', `${path}:1: the file is not an object`, {
			hint: 'Write an object, as in { }.',
		});
	}
	const keys = serverKeys(value, client.key);
	const local = ['projects', projectKey(value, project), 'mcpServers'];
	const isClaude = client.id === 'claude-code' && location.scope === 'user';
	const servers = [
		...serversAt(value, { location, keys, scope: location.scope, inputs: value['inputs'] }),
		...(isClaude ? serversAt(value, { location, keys: local, scope: 'project' }) : []),
	];
	const otherProjects = isClaude ? projectsWithServers(value).filter((folder) => folder !== local[1]) : [];
	return { ...location, bytes, text, keys, servers, otherProjects };
}

/** Claude Code writes the path of a project with slashes on Windows too. */
function projectKey(value: Readonly<Record<string, unknown>>, project: string): string {
	const projects = ownEntry(value, 'projects');
	const withSlashes = (path: string): string => path.replaceAll('\\', '/');
	const known = Object.keys(isObject(projects) ? projects : {});
	return known.find((folder) => withSlashes(folder) === withSlashes(project)) ?? project;
}

/** OpenCode 2 has its servers one level deeper. */
function serverKeys(value: Readonly<Record<string, unknown>>, key: string): string[] {
	const inner = ownEntry(value, key);
	const servers = isObject(inner) ? ownEntry(inner, 'servers') : undefined;
	const isNested = key === 'mcp' && isObject(servers) && !('type' in servers) && !('command' in servers);
	return isNested ? [key, 'servers'] : [key];
}

interface ServersPlace {
	readonly location: ClientLocation;
	readonly keys: readonly string[];
	readonly scope: ClientScope;
	/** The `inputs` of VS Code. */
	readonly inputs?: unknown;
}

function serversAt(value: unknown, place: ServersPlace): ClientServer[] {
	return (writtenEntries(value, place.keys) ?? []).map((entry) => clientServer(entry, place));
}

function clientServer(
	{ name, value: raw, index }: WrittenEntry,
	{ location, keys, scope, inputs: definitions }: ServersPlace,
): ClientServer {
	const base = { name, keys, scope, index, lost: lostSettings(raw, location.client.id) };
	const normal = normalEntry(raw, location.client.id);
	if (typeof normal === 'string') return { ...base, entry: undefined, reason: normal, isSelf: false };
	const { entry, foreign } = translateReferences(normal, location.client.id, scope);
	if (!isObject(entry)) return { ...base, entry: undefined, isSelf: false };
	const reason = reasonAgainst(raw, entry, foreign) ?? relativeReason(entry, scope);
	const facts = { isSelf: startsSelf(entry), isStale: isStale(entry) };
	if (reason === undefined) return { ...base, entry, reason, ...facts };
	const onlyInputs = foreign.every((each) => each.startsWith('${input:'));
	const isRight = onlyInputs && (reasonAgainst(raw, entry, []) ?? relativeReason(entry, scope)) === undefined;
	const inputs = isRight && location.client.id === 'vscode' ? inputsOf(entry, definitions) : undefined;
	return { ...base, entry: undefined, reason, ...(inputs && { askable: { entry, inputs } }), ...facts };
}

/** True when an entry, as a client has it, starts this program. */
export function startsUs(raw: unknown): boolean {
	const entry = normalEntry(raw, 'claude-code');
	return typeof entry !== 'string' && startsSelf(entry);
}

const selfMain = /^.*[/\\]dist[/\\]cli[/\\]main\.js$/;

/** Also an installation in another place than this one. */
function startsSelf(entry: NormalEntry): boolean {
	const [command = '', ...args] = commandLineOf(entry);
	const at = args.findIndex((arg) => selfMain.test(arg));
	const isOther = at !== -1 && ['serve', 'bridge'].includes(args[at + 1] ?? '');
	return isOther || isSelfCommand({ command, args });
}

function isStale(entry: NormalEntry): boolean {
	return startsSelf(entry) && commandLineOf(entry).some((arg) => isAbsolute(arg) && !existsSync(arg));
}

function commandLineOf({ command, args }: NormalEntry): string[] {
	return typeof command === 'string' ? [command, ...(Array.isArray(args) ? args.map(String) : [])] : [];
}

function reasonAgainst(raw: unknown, entry: NormalEntry, foreign: readonly string[]): string | undefined {
	if (foreign.length > 0) return `uses ${foreign.join(', ')}, which only this client can fill in`;
	const client = isObject(raw) ? raw : {};
	if (typeof client['authProviderType'] === 'string' && client['authProviderType'] !== 'dynamic_discovery')
		return `signs in with ${client['authProviderType']}, which only this client has`;
	if (hasForeignSandbox(client))
		return 'is confined by domains or by forbidden paths; write a sandbox for it';
	const { url } = entry;
	return typeof url === 'string' && !/^(?:(?:https?|wss?):\/\/|unix:\/\/\/|\$\{)/.test(url)
		? 'has a url that is not of http, a WebSocket or a Unix socket'
		: undefined;
}

/** The meaning of a relative path in the user's own file depends on the folder of the client. */
function relativeReason({ command, cwd, envFile }: NormalEntry, scope: ClientScope): string | undefined {
	const relative = [command, cwd].find(
		(path) => typeof path === 'string' && /^\.{1,2}(?:[/\\]|$)/.test(path),
	);
	const isRelative = typeof envFile === 'string' && !isAbsolute(envFile) && !/^(?:~|\$\{)/.test(envFile);
	const found = relative ?? (isRelative ? envFile : undefined);
	return scope === 'user' && typeof found === 'string'
		? `has the relative path ${found}; write it in full`
		: undefined;
}

function projectsWithServers(value: Readonly<Record<string, unknown>>): string[] {
	const projects = ownEntry(value, 'projects');
	return Object.entries(isObject(projects) ? projects : {}).flatMap(([folder, settings]) => {
		const servers = isObject(settings) ? settings['mcpServers'] : undefined;
		return isObject(servers) && Object.keys(servers).length > 0 ? [folder] : [];
	});
}
