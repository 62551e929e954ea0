/*
 * A modern client has no session, but sources keep things for one: a server process of
 * its own, a large result. So the modern requests of a principal with the same name and
 * version of the client share one session id, which ends when they stop for long.
 */
import type { Provider } from '../../mcp/server/provider.ts';
import { isObject } from '../../wire/json.ts';
import type { Principal } from '../authenticate.ts';
import type { HttpLimits } from '../http-limits.ts';

/** Longest part of a name or version that distinguishes clients. */
const NAME_CHARACTERS_COMPARED = 200;

export interface ModernSession {
	/** The principal and the client. */
	readonly key: string;
	readonly sessionId: string;
	usedAt: number;
	/** Requests in flight. */
	inFlight: number;
}

export class ModernSessions {
	readonly #provider: Provider;
	readonly #limits: Pick<HttpLimits, 'sessions' | 'sessionIdleMs'>;
	/** The least recently used first. */
	readonly #sessions = new Map<string, ModernSession>();

	constructor(provider: Provider, limits: Pick<HttpLimits, 'sessions' | 'sessionIdleMs'>) {
		this.#provider = provider;
		this.#limits = limits;
	}

	/** The session of a client, for one request. `release` it afterwards. */
	use(principal: Principal, clientInfo: unknown): ModernSession {
		const key = keyOf(principal, clientInfo);
		const session = this.#sessions.get(key) ?? this.#open(key);
		this.#use(session);
		return session;
	}

	/** Like `use`, for a session that is known. False when it has ended. */
	useAgain(session: ModernSession): boolean {
		if (this.#sessions.get(session.key) !== session) return false;
		this.#use(session);
		return true;
	}

	/** The request has ended. */
	release(session: ModernSession): void {
		session.inFlight--;
		session.usedAt = performance.now();
	}

	/** End the sessions that were not used for too long. */
	endIdle(now: number): boolean {
		for (const [key, { usedAt, inFlight }] of this.#sessions)
			if (inFlight === 0 && now - usedAt >= this.#limits.sessionIdleMs) this.#end(key);
		return this.#sessions.size > 0;
	}

	close(): void {
		for (const key of [...this.#sessions.keys()]) this.#end(key);
	}

	#use(session: ModernSession): void {
		this.#sessions.delete(session.key);
		this.#sessions.set(session.key, session);
		session.inFlight++;
		session.usedAt = performance.now();
	}

	#open(key: string): ModernSession {
		if (this.#sessions.size >= this.#limits.sessions) this.#endOldest();
		const sessionId = crypto.randomUUID();
		this.#provider.sessions?.opened?.(sessionId, 'http');
		return { key, sessionId, usedAt: 0, inFlight: 0 };
	}

	/** One without requests, if there is one; those of another one go on. */
	#endOldest(): void {
		const keys = [...this.#sessions.keys()];
		const oldest = keys.find((key) => this.#sessions.get(key)?.inFlight === 0) ?? keys[0];
		if (oldest !== undefined) this.#end(oldest);
	}

	#end(key: string): void {
		const { sessionId } = this.#sessions.get(key) ?? {};
		this.#sessions.delete(key);
		if (sessionId !== undefined) this.#provider.sessions?.closed?.(sessionId);
	}
}

function keyOf(principal: Principal, clientInfo: unknown): string {
	const { name, version } = isObject(clientInfo) ? clientInfo : {};
	return JSON.stringify([principal, ...[name, version].map(compared)]);
}

function compared(value: unknown): string | undefined {
	return typeof value === 'string' ? value.slice(0, NAME_CHARACTERS_COMPARED) : undefined;
}
