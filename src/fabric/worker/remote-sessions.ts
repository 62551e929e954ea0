/*
 * The MCP sessions of remote clients at this worker. A worker is not notified when a
 * client of another hub leaves, so a session without calls ends after a while, and the
 * processes that were reserved for it are released.
 */
import type { Hub } from '../../hub/hub.ts';
import { REMOTE_SESSION_IDLE_MS, REMOTE_SESSION_SWEEP_MS } from '../fabric-limits.ts';

interface Use {
	calls: number;
	lastUsedAt: number;
}

export class RemoteSessions {
	readonly #hub: Hub;
	readonly #uses = new Map<string, Use>();
	readonly #sweeping: NodeJS.Timeout;

	constructor(hub: Hub) {
		this.#hub = hub;
		this.#sweeping = setInterval(() => this.#sweep(), REMOTE_SESSION_SWEEP_MS);
		this.#sweeping.unref();
	}

	begin(id: string): void {
		const use = this.#uses.get(id);
		if (use) use.calls++;
		else {
			this.#uses.set(id, { calls: 1, lastUsedAt: performance.now() });
			this.#hub.sessions.opened(id);
		}
	}

	end(id: string): void {
		const use = this.#uses.get(id);
		if (use === undefined) return;
		use.calls--;
		use.lastUsedAt = performance.now();
	}

	close(): void {
		clearInterval(this.#sweeping);
		for (const id of this.#uses.keys()) this.#hub.sessions.closed(id);
		this.#uses.clear();
	}

	#sweep(): void {
		const before = performance.now() - REMOTE_SESSION_IDLE_MS;
		for (const [id, { calls, lastUsedAt }] of this.#uses) {
			if (calls > 0 || lastUsedAt > before) continue;
			this.#uses.delete(id);
			this.#hub.sessions.closed(id);
		}
	}
}
