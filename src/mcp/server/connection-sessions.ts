/*
 * The ids of the MCP sessions on one connection. A modern client has no session and names
 * itself with each request, so requests of one name are one session: those of the first
 * name have the id of the connection, as legacy requests do.
 */
import { isObject } from '../../wire/json.ts';
import { SESSION_NAME_CHARACTERS, SESSION_NAMES_LIMIT } from '../mcp-limits.ts';
import type { Provider } from './provider.ts';

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
		const name = given.slice(0, SESSION_NAME_CHARACTERS);
		this.#firstName ??= name;
		if (name === this.#firstName) return this.id;
		const known = this.#others.get(name);
		if (known !== undefined || this.#others.size >= SESSION_NAMES_LIMIT) return known ?? this.id;
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
