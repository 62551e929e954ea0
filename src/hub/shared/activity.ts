/*
 * Tracks whether the hub is in use, for the idle shutdown.
 *
 * A bridge with an MCP tunnel counts while it is connected. Other peers (plugins, other
 * bridges) count by their requests in flight and the time of the last one. Health
 * checks and subscriptions do not count.
 */

import type { LinkPeer } from '../../link/link.ts';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';

/** Requests that do not count. */
const uncounted = new Set(['health', 'subscribe', 'unsubscribe', 'tunnel']);

export class Activity {
	readonly #clients = new Set<LinkPeer>();
	#inFlight = 0;
	#lastAt = performance.now();

	/** Idle time in milliseconds; 0 while the hub is in use. */
	get idleMs(): number {
		return this.#clients.size + this.#inFlight > 0 ? 0 : performance.now() - this.#lastAt;
	}

	/** Whether no bridge is connected, and at most `besides` requests are in flight. */
	isIdle(besides: number): boolean {
		return this.#clients.size === 0 && this.#inFlight <= besides;
	}

	/** A request begins. Returns the function to call when it is over. */
	begin(): () => void {
		this.#inFlight++;
		return () => {
			this.#inFlight--;
			this.#lastAt = performance.now();
		};
	}

	/** Wrap the handlers to track their requests. */
	observe(handlers: PluginHandlers): PluginHandlers {
		const observed = Object.entries(handlers)
			.filter(([name, handler]) => typeof handler === 'function' && !uncounted.has(name))
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
			const end = this.begin();
			try {
				return await handler(...args);
			} finally {
				end();
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
