/*
 * The extensions of MCP that the hub knows, and which of them are declared to a server and a client.
 *
 * A peer answers in the terms of an extension that was declared to it, so a server gets only
 * those whose answers reach the client through the hub, and a client only those that work for
 * everything behind the hub. All others are removed in both directions, except for those that the
 * user passes (`extensions.pass`): the hub does not look at them.
 */
import { type Log, loggedOnce } from '../log.ts';
import type { Extensions } from '../protocol/mcp-types.ts';
import { SKILLS } from '../protocol/meta.ts';
import { TASKS } from '../protocol/tasks.ts';
import { isObject } from '../wire/json.ts';
import { encodeJson } from '../wire/json-text.ts';
import { able, type Source } from './source.ts';

/** The pages of MCP Apps. */
export const UI = 'io.modelcontextprotocol/ui';

type Open = Readonly<Record<string, unknown>>;

/** The work of the hub for an extension. An absent member: none of that kind. */
interface KnownExtension {
	/** A request to a server declares it when its client does. */
	readonly isForwarded?: boolean;
	/**
	 * Its settings in requests for lists, and at the start of a process of several clients: the hub serves clients
	 * without the extension itself.
	 */
	readonly declared?: Open;
	/** It is declared to clients when a server declares it. */
	readonly isAnnounced?: boolean;
	/** The capability that is declared to clients because the hub answers it itself, whatever servers declare. */
	readonly own?: (sources: readonly Source[]) => Open | undefined;
	/** It is not defined for legacy revisions: it is not declared to their clients. */
	readonly isModernOnly?: boolean;
}

/** The extensions, by identifier. */
const known: Readonly<Record<string, KnownExtension>> = {
	[TASKS]: { isForwarded: true, own: () => ({}), isModernOnly: true },
	// Clients without it see neither the pages nor the tools that only a page may call.
	[UI]: { isForwarded: true, declared: { mimeTypes: ['text/html;profile=mcp-app'] }, isAnnounced: true },
	[SKILLS]: { own: skillSettings },
};

/** The extensions of a process of several clients, and of the requests for lists. */
export const servedExtensions: Extensions = Object.fromEntries(
	Object.entries(known).flatMap(([id, { declared }]) => (declared ? [[id, declared]] : [])),
);

/** Which extensions pass between the clients and one server. */
export class ExtensionRules {
	readonly #pass: ReadonlySet<string>;

	/** @param pass identifiers that pass in both directions */
	constructor(pass: readonly string[] = []) {
		this.#pass = new Set(pass);
	}

	/** The capabilities of a client as the server may use them: without the extensions and tasks that the hub does not route. */
	forwarded(capabilities: Open): Open {
		if (!('extensions' in capabilities) && !('tasks' in capabilities)) return capabilities;
		const { extensions, tasks: _tasks, ...others } = capabilities;
		const remaining = this.#allowed(extensions, 'isForwarded');
		return remaining.length === 0 ? others : { ...others, extensions: Object.fromEntries(remaining) };
	}

	/** The declared extensions of a server that may be declared to clients. */
	announced(capabilities: Open | undefined): Extensions {
		return Object.fromEntries(this.#allowed(capabilities?.['extensions'], 'isAnnounced'));
	}

	#allowed(extensions: unknown, rule: 'isForwarded' | 'isAnnounced'): [string, Open][] {
		return settingsIn(extensions).filter(([id]) => this.#pass.has(id) || known[id]?.[rule] === true);
	}
}

/** The extensions that are declared to clients of a hub: the extensions of all its servers and its own. */
export class AnnouncedExtensions {
	readonly #sources: () => readonly Source[];
	readonly #warn: (text: string) => void;

	constructor(sources: () => readonly Source[], log: Log) {
		this.#sources = sources;
		this.#warn = loggedOnce((text) => log.warn(text));
	}

	/** The extensions for a client of this era. Equal settings of servers pass, differing ones become `{}`; those of the hub itself win. */
	for(era: 'legacy' | 'modern'): Extensions {
		const sources = this.#sources();
		const merged = this.#merged(sources.map((source) => able(source, 'extensions')?.extensions ?? {}));
		for (const [id, { own, isModernOnly }] of Object.entries(known)) {
			const settings = own?.(sources);
			if (settings) merged.set(id, settings);
			if (isModernOnly && era === 'legacy') merged.delete(id);
		}
		return Object.fromEntries(merged);
	}

	#merged(servers: readonly Extensions[]): Map<string, Open> {
		const merged = new Map<string, Open>();
		for (const [id, settings] of servers.flatMap((declared) => Object.entries(declared))) {
			const isSame = encodeJson(merged.get(id) ?? settings) === encodeJson(settings);
			if (!isSame) this.#warn(`servers declare the extension ${id} with different settings; clients get {}`);
			merged.set(id, isSame ? settings : {});
		}
		return merged;
	}
}

/** The hub answers for the skills of all sources; folders are announced when it can read every one. */
function skillSettings(sources: readonly Source[]): Open | undefined {
	const having = sources.filter(({ capabilities }) => capabilities.includes('skills'));
	if (having.length === 0) return undefined;
	return having.every((source) => able(source, 'readsFolders')?.readsFolders ?? true)
		? { directoryRead: true }
		: {};
}

/** The settings of an extension are an object; one with anything else is not declared. */
function settingsIn(extensions: unknown): [string, Open][] {
	if (!isObject(extensions)) return [];
	return Object.entries(extensions).filter((entry): entry is [string, Open] => isObject(entry[1]));
}
