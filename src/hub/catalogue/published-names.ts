/*
 * The names of tools and prompts that clients see, one for each item: the first of several
 * candidates that is free and that reads as an item of its own server.
 */
import {
	hashed,
	type NamedTool,
	plainName,
	qualifiedName,
	ServerNames,
	shortened,
	toolPrefix,
} from '../../trust/tool-name.ts';
import { able, qualifiesNames, type Source } from '../source.ts';

/** A published name, and the name in full that a user would write. */
export interface PublishedName {
	readonly toolName: NamedTool;
	readonly full: string;
}

/** The items that have a name. */
type TakenNames = ReadonlyMap<string, { readonly source: Source }>;

export class PublishedNames {
	readonly #servers: ServerNames;
	readonly #taken: TakenNames;
	readonly #warn: (text: string) => void;

	/** @param taken the names that were given so far; the caller adds each one */
	constructor(sources: readonly Source[], taken: TakenNames, warn: (text: string) => void) {
		this.#servers = serverNamesIn(sources);
		this.#taken = taken;
		this.#warn = warn;
	}

	/** The name of an item of a source. */
	take(source: Source, own: string): PublishedName {
		return qualifiesNames(source) ? this.#qualified(source, own) : this.#bare(source, own);
	}

	#qualified(source: Source, own: string): PublishedName {
		const prefix = toolPrefix(source.id);
		const wanted = this.#allowed(source, prefix + own);
		const other = this.#servers.find(wanted)?.server;
		const isFree = !this.#taken.has(wanted) && other === source.id;
		const name = isFree ? wanted : this.#distinct(prefix + withoutSeparator(own), wanted);
		if (!isFree) {
			const server = other === source.id ? undefined : other;
			this.#warn(`${otherName(source, own, server)}; it is called "${name}"`);
		}
		return published(name, source.id, own);
	}

	#bare(source: Source, own: string): PublishedName {
		const wanted = this.#allowed(source, own);
		const other = this.#servers.find(wanted)?.server;
		const first = this.#taken.get(wanted)?.source;
		if (first === undefined && other === undefined) {
			const server = able(source, 'qualifiesNames')?.serverOf?.(own);
			const tool = server === undefined ? own : own.slice(qualifiedName(server, '').length);
			return { toolName: { name: wanted, server, tool }, full: own };
		}
		const second = this.#allowed(source, toolPrefix(source.id) + own);
		const isFree = !this.#taken.has(second) && this.#servers.find(second) === undefined;
		const name = isFree ? second : this.#distinct(withoutSeparator(second), second);
		if (first === undefined || other !== undefined)
			this.#warn(`${otherName(source, own, other)}; it is called "${name}"`);
		else
			this.#warn(
				`"${own}" is listed by ${first.id} and by ${source.id}; the second is called "${name}"${howToSwap(first, source)}`,
			);
		return published(name, source.id, own);
	}

	/** The name with the length and, for servers of others, the characters that agents accept. */
	#allowed({ kind }: Source, name: string): string {
		return shortened(kind === 'mcp' ? plainName(name) : name);
	}

	/** `base` with a hash of `text` that no other item has. */
	#distinct(base: string, text: string): string {
		for (let attempt = 0; ; attempt++) {
			const name = hashed(base, attempt === 0 ? text : `${text} ${attempt}`);
			if (!this.#taken.has(name)) return name;
		}
	}
}

/** The servers in the names of the tools of these sources. */
export function serverNamesIn(sources: readonly Source[]): ServerNames {
	return new ServerNames(sources.filter(qualifiesNames).map(({ id }) => id));
}

/** The name of an item that no list has, as of a source that is down. */
export function unlistedName(source: Source, own: string): NamedTool {
	const { id } = source;
	return qualifiesNames(source)
		? { name: toolPrefix(id) + own, server: id, tool: own }
		: { name: own, server: undefined, tool: own };
}

function published(name: string, server: string, tool: string): PublishedName {
	return { toolName: { name, server, tool }, full: qualifiedName(server, tool) };
}

/** Nothing in it is read as the end of a server. */
function withoutSeparator(name: string): string {
	return name
		.replaceAll(/[^\w.-]/gu, '_')
		.replaceAll(/_+/g, '_')
		.replace(/^_/, '');
}

function otherName({ id }: Source, own: string, server: string | undefined): string {
	const why = server === undefined ? 'has the name of another tool' : `reads like a tool of ${server}`;
	return `"${own}" of ${id} ${why}`;
}

function howToSwap(first: Source, second: Source): string {
	if (first.kind !== 'plugin' || second.kind !== 'plugin') return '';
	return `. To swap them, write ${second.id} before ${first.id} in the configuration`;
}
