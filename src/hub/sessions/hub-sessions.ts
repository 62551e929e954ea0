/* The sessions of the clients of a hub: what sources and policy do when one opens, changes and ends. */
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import type { ProviderSessions, RootsClient } from '../../mcp/server/provider.ts';
import { able, type Source } from '../source.ts';
import type { ConnectedClients } from './connected-clients.ts';
import { SessionEnds } from './session-ends.ts';

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
		this.#ends.opened(sessionId);
		this.#deps.clients.opened(sessionId, transport);
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
		if (!this.#ends.isOpen(sessionId)) this.#deps.onClosed(sessionId);
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
