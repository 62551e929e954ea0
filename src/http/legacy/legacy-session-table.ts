/*
 * The legacy sessions of a listener: found by id, for their own principal and endpoint
 * only. Bounded: when there are too many, the longest idle one is ended.
 */
import type { Provider } from '../../mcp/server/provider.ts';
import type { Principal } from '../authenticate.ts';
import type { HttpLimits } from '../http-limits.ts';
import { LegacyHttpSession, type LegacyHttpSessionDeps } from './legacy-http-session.ts';

export class LegacySessionTable {
	readonly #limits: HttpLimits;
	readonly #sessions = new Map<string, LegacyHttpSession>();

	constructor(limits: HttpLimits) {
		this.#limits = limits;
	}

	get count(): number {
		return this.#sessions.size;
	}

	/** A new session; undefined when there are too many and none is idle. */
	create(deps: LegacyHttpSessionDeps): LegacyHttpSession | undefined {
		if (this.#sessions.size >= this.#limits.sessions && !this.#endOldest(false) && !this.#endOldest(true))
			return undefined;
		const session = new LegacyHttpSession(deps);
		this.#sessions.set(session.id, session);
		return session;
	}

	/** The session with this id; undefined when there is none for this principal and provider. */
	find(id: string, principal: Principal, provider: Provider): LegacyHttpSession | undefined {
		const session = this.#sessions.get(id);
		return session?.principal === principal && session.provider === provider ? session : undefined;
	}

	end(session: LegacyHttpSession): void {
		this.#sessions.delete(session.id);
		void session.close();
	}

	/** End the sessions that are idle for too long. */
	endIdle(now: number): boolean {
		for (const session of this.#sessions.values()) {
			const { idleSince = now } = session;
			if (now - idleSince >= this.#limits.sessionIdleMs) this.end(session);
		}
		return this.#sessions.size > 0;
	}

	close(): void {
		for (const session of [...this.#sessions.values()]) this.end(session);
	}

	/** @param withCalls false to spare sessions in which a call runs */
	#endOldest(withCalls: boolean): boolean {
		let oldest: LegacyHttpSession | undefined;
		for (const session of this.#sessions.values()) {
			const { idleSince } = session;
			if (session.hasCalls && !withCalls) continue;
			if (idleSince !== undefined && idleSince < (oldest?.idleSince ?? Number.POSITIVE_INFINITY))
				oldest = session;
		}
		if (oldest) this.end(oldest);
		return oldest !== undefined;
	}
}
