/*
 * The sessions of the clients of a hub: what sources and policy do when one opens, changes and ends.
 *
 * A bridge that lost its connection opens the same session again, so a session ends
 * only when it was not opened again within a grace period.
 */
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import type { ProviderSessions, RootsClient } from '../../mcp/server/provider.ts';
import { SESSION_GRACE_MS } from '../hub-limits.ts';
import { able, type Source } from '../source.ts';
import type { ConnectedClients } from './connected-clients.ts';

export interface HubSessionsDeps {
	readonly clients: ConnectedClients;
	readonly sources: () => readonly Source[];
	/** The last connection of a session closed; it may be opened again. */
	readonly onClosed: (sessionId: string) => void;
	/** A session ended. */
	readonly onEnd: (sessionId: string) => void;
}

export class HubSessions implements ProviderSessions {
	readonly #deps: HubSessionsDeps;
	readonly #ends = new SessionEnds((id) => {
		for (const source of this.#deps.sources()) able(source, 'endSession')?.endSession(id);
		this.#deps.onEnd(id);
	});
	#isLearning = false;

	constructor(deps: HubSessionsDeps) {
		this.#deps = deps;
	}

	opened(sessionId: string, transport?: string): void {
		if (!this.#ends.isOpen(sessionId)) this.#deps.clients.opened(sessionId, transport);
		this.#ends.opened(sessionId);
		setImmediate(() => this.learn());
	}

	/** Servers that were never seen start, once: when the first client connects, and not with its first list. */
	learn(): void {
		if (this.#isLearning) return;
		this.#isLearning = true;
		for (const source of this.#deps.sources()) able(source, 'learn')?.learn();
	}

	introduced(client: ClientConnection): void {
		this.#deps.clients.introduced(client);
	}

	logLevelChanged(client: ClientConnection): void {
		this.#deps.clients.introduced(client);
		for (const source of this.#deps.sources()) able(source, 'endSession')?.logLevelChanged?.();
	}

	rootsChanged(client: RootsClient): void {
		for (const source of this.#deps.sources()) able(source, 'endSession')?.rootsChanged?.(client);
	}

	closed(sessionId: string): void {
		this.#ends.closed(sessionId);
		if (this.#ends.isOpen(sessionId)) return;
		this.#deps.onClosed(sessionId);
		this.#deps.clients.closed(sessionId);
	}

	/** Sessions of an earlier hub that did not come back have ended. */
	endOthers(): void {
		const { left } = this.#ends;
		for (const source of this.#deps.sources()) able(source, 'endSession')?.endOthers?.(left);
	}

	/** Forget all sessions; nothing is reported any more. */
	clear(): void {
		this.#ends.clear();
	}
}

/** When the sessions end: the last connection of each was closed, and its grace period is over. */
export class SessionEnds {
	readonly #onEnd: (sessionId: string) => void;
	readonly #graceMs: number;
	/** The number of open connections of each session. */
	readonly #open = new Map<string, number>();
	readonly #timers = new Map<string, NodeJS.Timeout>();

	constructor(onEnd: (sessionId: string) => void, graceMs: number = SESSION_GRACE_MS) {
		this.#onEnd = onEnd;
		this.#graceMs = graceMs;
	}

	opened(sessionId: string): void {
		clearTimeout(this.#timers.get(sessionId));
		this.#timers.delete(sessionId);
		this.#open.set(sessionId, (this.#open.get(sessionId) ?? 0) + 1);
	}

	closed(sessionId: string): void {
		const left = (this.#open.get(sessionId) ?? 1) - 1;
		if (left > 0) return void this.#open.set(sessionId, left);
		this.#open.delete(sessionId);
		const timer = setTimeout(() => {
			this.#timers.delete(sessionId);
			this.#onEnd(sessionId);
		}, this.#graceMs);
		timer.unref();
		this.#timers.set(sessionId, timer);
	}

	/** The sessions that did not end. */
	get left(): ReadonlySet<string> {
		return new Set([...this.#open.keys(), ...this.#timers.keys()]);
	}

	/** Whether the session has a connection now. */
	isOpen(sessionId: string): boolean {
		return this.#open.has(sessionId);
	}

	/** Forget all sessions; nothing is reported any more. */
	clear(): void {
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
		this.#open.clear();
	}
}
