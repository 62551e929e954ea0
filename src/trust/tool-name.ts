/*
 * The name of a tool: its server and its own name, and the one text that clients see.
 *
 * The text is `server__tool`, at most 64 characters that agents accept. Only a server
 * whose name has no `__` stands there as it is; another one has a label, so the server of
 * a text ends at its first `__`. The text of a tool never begins like that of another
 * configured server, whatever the tool is called (hub/catalogue/merged-list.ts sees to that).
 * Policies, views and filters compare server and tool, not the text.
 */
import { TOOL_NAME_CHARACTERS } from './trust-limits.ts';

const SEPARATOR = '__';
const HASH_CHARACTERS = 8;
/** The length that remains of a name that is too long. */
const PREFIX_CHARACTERS = TOOL_NAME_CHARACTERS - HASH_CHARACTERS - 1;
/** Longest server in a name: a name that is shortened keeps it whole. */
const LABEL_CHARACTERS = PREFIX_CHARACTERS - SEPARATOR.length;

/** A tool, as policies, views and filters know it. */
export interface NamedTool {
	/** The name that clients see. */
	readonly name: string;
	/** Its server; undefined for a tool whose name has no server. */
	readonly server: string | undefined;
	/** Its name at the server. */
	readonly tool: string;
}

/** `server__tool`, as a user writes it. */
export function qualifiedName(server: string, tool: string): string {
	return `${server}${SEPARATOR}${tool}`;
}

/** What the names of all tools of a server begin with, as clients see them: `files__`. */
export function toolPrefix(server: string): string {
	return `${serverLabel(server)}${SEPARATOR}`;
}

/** The server in the names of its tools: its name, or with a hash when that would not be read back as this server. */
function serverLabel(server: string): string {
	const isPlain = /^[\w.-]+$/.test(server) && !server.includes(SEPARATOR) && !server.endsWith('_');
	if (isPlain && server.length <= LABEL_CHARACTERS) return server;
	const single = server.replaceAll(/[^\w.-]/gu, '_').replaceAll(/_+/g, '_');
	const remaining = single.slice(0, LABEL_CHARACTERS - HASH_CHARACTERS - 1).replace(/_$/, '');
	return `${remaining}_${hashOf(server)}`;
}

/** The name; when it is too long, its beginning and a hash of the whole name. */
export function shortened(name: string): string {
	return name.length <= TOOL_NAME_CHARACTERS ? name : hashed(name, name);
}

/** The beginning of a name and a hash of `text`. The `_` between them makes no separator with one that the beginning ends with. */
export function hashed(name: string, text: string): string {
	const beginning = name.slice(0, PREFIX_CHARACTERS);
	return `${beginning}${beginning.endsWith('_') ? '' : '_'}${hashOf(text)}`;
}

/** The name; when agents would refuse a character of it, with `_` instead and a hash of the whole name. */
export function plainName(name: string): string {
	const plain = name.replaceAll(/[^\w.-]/gu, '_');
	return plain === name ? name : `${plain}_${hashOf(name)}`;
}

/** FNV-1a: fast, and `node:crypto` need not be loaded at start. */
function hashOf(text: string): string {
	let hash = 0x811c9dc5;
	for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
	return (hash >>> 0).toString(16).padStart(HASH_CHARACTERS, '0');
}

/** The servers by which names in a text are read. */
export class ServerNames {
	/** Keyed by their names and by their labels. */
	readonly #servers = new Map<string, string>();
	#longest = 0;

	constructor(servers: readonly string[]) {
		for (const server of servers) this.#servers.set(serverLabel(server), server);
		for (const server of servers) this.#servers.set(server, server);
		for (const name of this.#servers.keys()) this.#longest = Math.max(this.#longest, name.length);
	}

	/** The server that a text begins with, the longest one, and where its tool begins; undefined when there is none. */
	find(text: string): { readonly server: string; readonly end: number } | undefined {
		let found: { server: string; end: number } | undefined;
		for (
			let at = text.indexOf(SEPARATOR);
			at !== -1 && at <= this.#longest;
			at = text.indexOf(SEPARATOR, at + 1)
		) {
			const server = this.#servers.get(text.slice(0, at));
			if (server !== undefined) found = { server, end: at + SEPARATOR.length };
		}
		return found;
	}

	/** The tool that a user or a client names by this text. */
	read(name: string): NamedTool {
		const found = this.find(name);
		return { name, server: found?.server, tool: found ? name.slice(found.end) : name };
	}
}

/** The servers of a configuration whose tools have their names in front. */
export function serverNamesOf(
	entries: readonly { readonly name: string; readonly settings: { readonly prefix: boolean } }[],
): ServerNames {
	return new ServerNames(entries.filter(({ settings }) => settings.prefix).map(({ name }) => name));
}
