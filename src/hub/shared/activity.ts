/*
 * Is anybody using the hub?
 *
 * A client is a connection with an MCP tunnel: a bridge. Peers without one (plugins,
 * bridges of others) count by what they ask: a request in flight, or a recent one.
 * A question about the hub's health and a subscription are no use of it.
 */

import type { LinkPeer } from '../../link/link.ts';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';

/** Requests that do not count. */
const uncounted = new Set(['health', 'subscribe', 'unsubscribe', 'tunnel']);

export class Activity {
	readonly #clients = new Set<LinkPeer>();
	#inFlight = 0;
	#lastAt = performance.now();

	/** Bridges that are connected. */
	get clients(): number {
		return this.#clients.size;
	}

	/** How long nobody has used the hub, in milliseconds; 0 while somebody does. */
	get idleMs(): number {
		return this.#clients.size + this.#inFlight > 0 ? 0 : performance.now() - this.#lastAt;
	}

	/** The same handlers, observed. */
	observe(handlers: PluginHandlers): PluginHandlers {
		const observed = Object.entries(handlers)
			.filter(([name]) => !uncounted.has(name))
			.map(([name, handler]) => [name, this.#counted(handler)]);
		return {
			...handlers,
			...Object.fromEntries(observed),
			tunnel: (transport, call) => {
				this.#connected(call.peer);
				handlers.tunnel?.(transport, call);
			},
		};
	}

	#counted(handler: (...args: never[]) => unknown): (...args: never[]) => Promise<unknown> {
		return async (...args) => {
			this.#inFlight++;
			try {
				return await handler(...args);
			} finally {
				this.#inFlight--;
				this.#lastAt = performance.now();
			}
		};
	}

	#connected(peer: LinkPeer): void {
		this.#clients.add(peer);
		void peer.closed.then(() => {
			this.#clients.delete(peer);
			this.#lastAt = performance.now();
		});
	}
}
