/*
 * The resources of one process of an MCP server that clients subscribed to. They
 * outlive the process: the next one subscribes to them again.
 *
 * Clients may use two URIs for one resource: its own, and the one with the prefix of the
 * server. The server is subscribed once, under its own.
 */
import { messageOf } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import { ResourceSubscriptions, withParents } from '../../../mcp/server/resource-subscriptions.ts';
import { type Deferred, deferred } from '../../../rpc/deferred.ts';
import { qualifiedUri, upstreamUri } from '../../catalogue/names.ts';

interface Watched {
	/** The URIs that clients used. */
	readonly given: ResourceSubscriptions;
	/** Settles with the first answer of the server. */
	readonly made: Deferred<void>;
	isMade: boolean;
}

export class ResourceWatchers {
	readonly #server: string;
	readonly #log: Log;
	/** Keyed by the URI that the server gives it. */
	readonly #watched = new Map<string, Watched>();

	constructor(server: string, log: Log) {
		this.#server = server;
		this.#log = log;
	}

	get isEmpty(): boolean {
		return this.#watched.size === 0;
	}

	/** The server's own URIs. */
	get uris(): Iterable<string> {
		return this.#watched.keys();
	}

	/** The URIs under which clients know an updated resource. */
	givenFor(updated: string): Iterable<string> {
		const found = new Set<string>();
		for (const own of withParents(updated))
			for (const given of this.#watched.get(own)?.given.uris ?? [])
				found.add(given === own ? updated : qualifiedUri(this.#server, updated));
		return found;
	}

	/** A client subscribed; `begin` is called for the first one of a resource. Settles with the answer of the server. */
	add(uri: string, begin: (own: string) => void): Promise<void> {
		const own = upstreamUri(this.#server, uri);
		const known = this.#watched.get(own);
		const watched = known ?? { given: new ResourceSubscriptions(), made: deferred(), isMade: false };
		watched.given.change(uri, true);
		this.#watched.set(own, watched);
		if (known === undefined) begin(own);
		return watched.made.promise;
	}

	/** A client unsubscribed. Returns its own URI when no other is subscribed. */
	remove(uri: string): string | undefined {
		const own = upstreamUri(this.#server, uri);
		const watched = this.#watched.get(own);
		watched?.given.change(uri, false);
		if (!watched?.given.isEmpty) return undefined;
		this.#watched.delete(own);
		watched.made.resolve();
		return own;
	}

	/** Subscribe at the server. `onGap` is called when it is not the first time: updates may have been lost. */
	subscribe(own: string, connection: ServerConnection, onGap: () => void): void {
		const watched = this.#watched.get(own);
		if (watched === undefined) return;
		connection.subscribeResource(own, true).then(
			() => {
				if (watched.isMade && this.#watched.get(own) === watched) onGap();
				watched.isMade = true;
				watched.made.resolve();
			},
			(error: unknown) => {
				// The next connection subscribes again.
				if (connection.endReason) return;
				this.#log.warn(`${own} could not be subscribed: ${messageOf(error)}`);
				if (watched.isMade) return;
				if (this.#watched.get(own) === watched) this.#watched.delete(own);
				watched.made.reject(error);
			},
		);
	}

	/** End the subscription at the server. */
	unsubscribe(own: string, connection: ServerConnection): void {
		connection.subscribeResource(own, false).catch((error: unknown) => {
			if (!connection.endReason) this.#log.warn(`${own} could not be unsubscribed: ${messageOf(error)}`);
		});
	}
}
