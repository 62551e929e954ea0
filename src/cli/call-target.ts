/*
 * The words of `mctl call` and `mctl show`: a server and its tool, a program or URL and
 * its tool, or the name of a tool as agents see it.
 */

import type { Configuration } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import { qualifiedName, shortened } from '../hub/names.ts';
import { ownEntry } from '../wire/json.ts';
import type { ToolSource } from './call-session.ts';
import type { Offered } from './hub-offers.ts';
import { nearest } from './nearest.ts';
import type { Project } from './project.ts';

export interface CallTarget {
	/** A `stdio:` URI or a URL to connect to; undefined for the hub. */
	readonly address: string | undefined;
	/** A server of the configuration; undefined when the tool is named as agents see it. */
	readonly server: string | undefined;
	/** Undefined when it is missing. */
	readonly tool: string | undefined;
	/** The words after it. */
	readonly words: readonly string[];
}

/** True for a word that is an address and no name. */
export function isAddress(word: string): boolean {
	return /^(stdio:|https?:\/\/)/.test(word);
}

/** What the words name. `servers` are those of the configuration. */
export function callTarget(words: readonly string[], servers: readonly string[]): CallTarget {
	const [first = '', ...rest] = words;
	const [second] = rest;
	const hasTool = second !== undefined && !second.includes('=');
	const tool = hasTool ? second : undefined;
	const after = hasTool ? rest.slice(1) : rest;
	if (isAddress(first)) return { address: first, server: undefined, tool, words: after };
	if (servers.includes(first)) return { address: undefined, server: first, tool, words: after };
	return { address: undefined, server: undefined, tool: first, words: rest };
}

/** The MCP servers that a name can belong to; undefined when it may be of anything. */
export function serversFor(
	name: string | undefined,
	{ mcpServers }: Pick<Configuration, 'mcpServers'>,
	server?: string,
): readonly string[] | undefined {
	if (server !== undefined) return [server];
	const owners = mcpServers.filter((entry) => name?.startsWith(qualifiedName(entry.name, '')));
	return owners.length > 0 ? owners.map((entry) => entry.name) : undefined;
}

/** Where the tool of a target is. A tool of the folder needs no server. */
export function sourceOf(
	{ address, server, tool }: CallTarget,
	{ tools, configuration }: Pick<Project, 'tools' | 'configuration'>,
): ToolSource {
	const isOfFolder = server === undefined && tools.some(({ id }) => id === tool);
	return { address, servers: isOfFolder ? [] : serversFor(tool, configuration, server) };
}

/** The tool that a target names, among those of the hub or the server. Throws `bad_input` with the nearest names. */
export function findTarget({ server, tool, address }: CallTarget, tools: readonly Offered[]): Offered {
	const own = server === undefined ? tools : tools.filter((each) => isOfServer(each, server));
	const names = own.map((each) => (server === undefined ? nameOf(each) : nameAtServer(each, server)));
	const place = server ?? (address === undefined ? undefined : 'the server');
	if (tool === undefined) throw toolNeeded(place ?? 'the server', names);
	const found = own.find((each, at) => names[at] === tool || nameOf(each) === tool);
	if (found) return found;
	const guesses = nearest(tool, names);
	const hint = guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : someOf(names);
	const where = place === undefined ? '' : ` of ${place}`;
	throw new OrchestraError('bad_input', `there is no tool "${tool}"${where}`, {
		hint,
		data: { tool, nearest: guesses },
	});
}

export function nameOf({ name }: Offered): string {
	return String(name);
}

/** The name that a tool has at its server: `read_file` for `files__read_file`. */
export function nameAtServer(tool: Offered, server: string): string {
	const prefix = qualifiedName(server, '');
	const name = originalName(tool) ?? nameOf(tool);
	return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** A name that was too long for some agents is shortened, and the whole one is in `_meta`. */
function originalName({ _meta }: Offered): string | undefined {
	const found = ownEntry(_meta as Readonly<Record<string, unknown>> | undefined, FULL_NAME);
	return typeof found === 'string' ? found : undefined;
}

const FULL_NAME = 'orchestra/fullName';

/** Whether the name of a tool says that it is one of this server. */
export function isOfServer(tool: Offered, server: string): boolean {
	const prefix = qualifiedName(server, '');
	const name = originalName(tool) ?? nameOf(tool);
	return name.startsWith(prefix) || shortened(prefix) === name;
}

function toolNeeded(place: string, names: readonly string[]): OrchestraError {
	return new OrchestraError('bad_input', `name a tool of ${place}`, { hint: someOf(names) });
}

const SHOWN_LIMIT = 20;

function someOf(names: readonly string[]): string {
	if (names.length === 0) return 'mctl list tools shows what there is.';
	const more = names.length > SHOWN_LIMIT ? `, and ${names.length - SHOWN_LIMIT} more (mctl list tools)` : '';
	return `It has: ${names.slice(0, SHOWN_LIMIT).join(', ')}${more}`;
}
