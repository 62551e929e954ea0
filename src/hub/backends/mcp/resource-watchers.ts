/*
 * The resources of one MCP server that clients subscribed to.
 *
 * Clients may use two URIs for one resource: its own, and the one with the prefix of the
 * server. The server is subscribed once, under its own.
 */
import { ownUri } from '../../names.ts';

export class ResourceWatchers {
	readonly #server: string;
	/** Its own URIs, each with those that clients used. */
	readonly #uris = new Map<string, Set<string>>();

	constructor(server: string) {
		this.#server = server;
	}

	/** Its own URIs. */
	get subscribed(): ReadonlyMap<string, unknown> {
		return this.#uris;
	}

	/** The URIs that clients used for one of its own. */
	givenFor(own: string): Iterable<string> {
		return this.#uris.get(own) ?? [own];
	}

	/** Add or remove a URI of clients. Returns its own URI when the server must be subscribed, or no longer. */
	change(uri: string, isSubscribed: boolean): string | undefined {
		const own = ownUri(this.#server, uri);
		const given = this.#uris.get(own) ?? new Set<string>();
		const before = given.size;
		if (isSubscribed) given.add(uri);
		else given.delete(uri);
		if (given.size > 0) this.#uris.set(own, given);
		else this.#uris.delete(own);
		return (before === 0) === (given.size === 0) ? undefined : own;
	}
}
