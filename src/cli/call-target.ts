/*
 * The words of `mctl call` and `mctl show`: a server and its tool, a program or URL and
 * its tool, or a name as agents see it. What a name can belong to follows from the
 * configuration, so that nothing else is started for it.
 */
import type { Configuration, ServerEntry } from '../config/configuration.ts';
import { type HeldBack, heldBackText, trustHint } from '../config/trust/held-back.ts';
import { OrchestraError } from '../errors.ts';
import { qualifiedName } from '../hub/names.ts';
import { quoted } from '../printable.ts';
import type { NeededBackends } from './hub-session.ts';
import type { Project } from './project.ts';

export interface CallTarget {
	/** A `stdio:` URI or a URL to connect to; undefined for the hub. */
	readonly address: string | undefined;
	/** The server of the configuration; undefined when the name says nothing about it. */
	readonly server: ServerEntry | undefined;
	/** The name at the server, or as agents see it without one. Undefined when it is missing. */
	readonly tool: string | undefined;
	/** The words after it. */
	readonly words: readonly string[];
	/** What the hub must have; undefined for everything. */
	readonly needs: NeededBackends | undefined;
}

/** What the words name. Throws `bad_input` for a server that is disabled or held back. */
export function callTarget(
	words: readonly string[],
	{ configuration, tools, heldBack }: Pick<Project, 'configuration' | 'tools' | 'heldBack'>,
): CallTarget {
	const [first = '', ...rest] = words;
	const [second] = rest;
	const hasTool = second !== undefined && !second.includes('=');
	const tool = hasTool ? second : undefined;
	const after = hasTool ? rest.slice(1) : rest;
	if (/^(stdio:|https?:\/\/)/.test(first)) {
		return { address: first, server: undefined, tool, words: after, needs: undefined };
	}
	const entry = configuration.mcpServers.find(({ name }) => name === first);
	if (entry) return { ...ofServer(entry), tool, words: after };
	const owner = ownerOf(first, configuration);
	if (owner) return { ...ofServer(owner), tool: first.slice(prefixOf(owner).length), words: rest };
	const isOfFolder = tools.some(({ id }) => id === first);
	if (!isOfFolder) refuseHeldBack(first, heldBack);
	const needs = isOfFolder ? nothing : neededFor(first, configuration);
	return { address: undefined, server: undefined, tool: first, words: rest, needs };
}

/** Throws `bad_input` when the word names a server or plugin of a project that is not trusted, or a tool of the server. */
export function refuseHeldBack(word: string, heldBack: readonly HeldBack[]): void {
	for (const held of heldBack) {
		const isItsOwn = held.effects.some(
			({ kind, name }) =>
				(kind !== 'setting' && word === name) ||
				(kind === 'server' && word.startsWith(qualifiedName(name, ''))),
		);
		if (isItsOwn) throw new OrchestraError('bad_input', heldBackText(held), { hint: trustHint(held) });
	}
}

/** What a hub must have for a name: its server, or every backend that may have names without a prefix. */
export function neededFor(name: string, configuration: Configuration): NeededBackends | undefined {
	if (/^[a-z][\w+.-]*:/i.test(name)) return undefined; // a URI may be of any server
	const owner = ownerOf(name, configuration);
	if (owner) return { servers: [owner.name], hasPlugins: false };
	const bare = configuration.mcpServers.filter(({ settings }) => !settings.prefix);
	return { servers: bare.map((entry) => entry.name), hasPlugins: true };
}

/** `files__`, or nothing for a server whose tools keep their names. */
export function prefixOf({ name, settings }: Pick<ServerEntry, 'name' | 'settings'>): string {
	return settings.prefix ? qualifiedName(name, '') : '';
}

const nothing: NeededBackends = { servers: [], hasPlugins: false };

/** The server whose prefix a name has; the longest one, since a name of a server may have `__` in it. */
function ownerOf(name: string, { mcpServers }: Configuration): ServerEntry | undefined {
	return mcpServers
		.filter((entry) => entry.isEnabled && entry.settings.prefix && name.startsWith(prefixOf(entry)))
		.sort((one, other) => other.name.length - one.name.length)[0];
}

function ofServer(server: ServerEntry): Pick<CallTarget, 'address' | 'server' | 'needs'> {
	const { name, isEnabled, file } = server;
	if (isEnabled) return { address: undefined, server, needs: { servers: [name], hasPlugins: false } };
	throw disabledError(name, file);
}

/** About a server or plugin. */
export function disabledError(name: string, file: string): OrchestraError {
	return new OrchestraError('bad_input', `${name} is disabled in ${file}`, {
		hint: `Enable it with: mctl enable ${quoted(name)}`,
	});
}
