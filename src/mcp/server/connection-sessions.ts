/*
 * The ids of the MCP sessions on one connection. A modern client has no session and names
 * itself with each request, so requests of one name are one session: those of the first
 * name have the id of the connection, as legacy requests do.
 */
import { isObject } from '../../wire/json.ts';
import type { Provider } from './provider.ts';

/** Most further names of one connection; requests of others count as those of the first one. */
const NAMES_LIMIT = 16;
/** Longest part of a name that tells clients apart. */
const NAME_CHARACTERS_KEPT = 200;

export class ConnectionSessions {
	readonly #provider: Provider;
	readonly #transport: string | undefined;
	#id: string | undefined;
	#isClosed = false;
	#firstName: string | undefined;
	/** The ids of the other names. */
	readonly #others = new Map<string, string>();

	/** @param id of the connection. Default: a random UUID, made on first use, because most connections never need one */
	constructor(provider: Provider, transport: string | undefined, id: string | undefined) {
		this.#provider = provider;
		this.#transport = transport;
		if (id !== undefined) this.#id = this.#open(id);
	}

	/** The id of the connection. */
	get id(): string {
		this.#id ??= this.#open(crypto.randomUUID());
		return this.#id;
	}

	/** A client has introduced itself: the provider learns of the connection, also before a request needs its id. */
	introduced(): void {
		if (!this.#isClosed) void this.id;
	}

	/** The id for a modern client. */
	idOf(clientInfo: unknown): string {
		const given = isObject(clientInfo) ? clientInfo['name'] : undefined;
		if (typeof given !== 'string') return this.id;
		const name = given.slice(0, NAME_CHARACTERS_KEPT);
		this.#firstName ??= name;
		if (name === this.#firstName) return this.id;
		const known = this.#others.get(name);
		if (known !== undefined || this.#others.size >= NAMES_LIMIT) return known ?? this.id;
		const id = this.#open(crypto.randomUUID());
		this.#others.set(name, id);
		return id;
	}

	/** The connection closed. */
	close(): void {
		this.#isClosed = true;
		for (const id of [this.#id, ...this.#others.values()])
			if (id !== undefined) this.#provider.sessions?.closed?.(id);
	}

	#open(id: string): string {
		this.#provider.sessions?.opened?.(id, this.#transport);
		return id;
	}
}
