/*
 * A modern client has no session, but backends keep things for one: a server process of
 * its own, a large result. So all modern requests of a principal share one session id,
 * which ends when they stop for long.
 */
import type { Provider } from '../mcp/server/provider.ts';
import type { Principal } from './authenticate.ts';
import type { HttpLimits } from './http-limits.ts';

interface Used {
	readonly sessionId: string;
	usedAt: number;
}

export class ModernSessions {
	readonly #provider: Provider;
	readonly #limits: Pick<HttpLimits, 'sessionIdleMs'>;
	readonly #sessions = new Map<Principal, Used>();

	constructor(provider: Provider, limits: Pick<HttpLimits, 'sessionIdleMs'>) {
		this.#provider = provider;
		this.#limits = limits;
	}

	/** The session id of a principal, which is used now. */
	use(principal: Principal): string {
		const known = this.#sessions.get(principal);
		if (known) {
			known.usedAt = performance.now();
			return known.sessionId;
		}
		const sessionId = crypto.randomUUID();
		this.#sessions.set(principal, { sessionId, usedAt: performance.now() });
		this.#provider.sessionOpened?.(sessionId, 'http');
		return sessionId;
	}

	/** End the sessions that were not used for too long. */
	endIdle(now: number): void {
		for (const [principal, { usedAt }] of this.#sessions)
			if (now - usedAt >= this.#limits.sessionIdleMs) this.#end(principal);
	}

	close(): void {
		for (const principal of [...this.#sessions.keys()]) this.#end(principal);
	}

	#end(principal: Principal): void {
		const { sessionId } = this.#sessions.get(principal) ?? {};
		this.#sessions.delete(principal);
		if (sessionId !== undefined) this.#provider.sessionClosed?.(sessionId);
	}
}
