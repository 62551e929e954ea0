/* The clients that are connected to the hub: for display, and for servers that need one outside a call. */
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import type { StartedCall } from '../call-feed.ts';
import { CONNECTED_SESSIONS_LIMIT } from '../hub-limits.ts';

/** A client as it introduced itself; the one of a legacy session is live. */
type IntroducedClient = Pick<ClientConnection, 'clientInfo' | 'revision'> & Partial<ClientConnection>;

/** An MCP session with an open connection. */
export interface ConnectedClient {
	readonly sessionId: string;
	/** How it is connected: `link` for bridges and commands, `http`, `dashboard`. */
	readonly transport: string;
	/** Milliseconds since 1970. */
	readonly since: number;
	/** How the client introduced itself, a modern one with its first call; undefined before. */
	readonly client: IntroducedClient | undefined;
	readonly calls: number;
	/** Milliseconds since 1970; undefined before the first call. */
	readonly lastCallAt: number | undefined;
}

/** Fields that change with a call are written in place. */
type ShownClient = { -readonly [Key in keyof ConnectedClient]: ConnectedClient[Key] };

export class ConnectedClients {
	readonly #sessions = new Map<string, ShownClient>();

	/** The sessions, the oldest first. */
	list(): ConnectedClient[] {
		return [...this.#sessions.values()].map((shown) => ({ ...shown }));
	}

	/** The first connection of a session opened. */
	opened(sessionId: string, transport: string = 'stdio'): void {
		if (this.#sessions.size >= CONNECTED_SESSIONS_LIMIT) return;
		const since = Date.now();
		this.#sessions.set(sessionId, {
			sessionId,
			transport,
			since,
			client: undefined,
			calls: 0,
			lastCallAt: undefined,
		});
	}

	/** The client of a session introduced itself. */
	introduced(client: IntroducedClient & Pick<ClientConnection, 'sessionId'>): void {
		const shown = this.#sessions.get(client.sessionId);
		if (shown) shown.client = client;
	}

	/** A call of a session began. */
	called({ caller, startedAt }: Pick<StartedCall, 'caller' | 'startedAt'>): void {
		if (caller === undefined) return;
		const shown = this.#sessions.get(caller.sessionId);
		if (shown === undefined) return;
		shown.calls++;
		shown.lastCallAt = startedAt.getTime();
		// Not the caller itself, which may keep the whole request.
		shown.client ??= { clientInfo: caller.clientInfo, revision: caller.revision };
	}

	/** The clients that a process serves: the one of its session, or all. */
	servedBy({ sessionId }: { readonly sessionId?: string | undefined }): ConnectedClient[] {
		return this.list().filter((each) => sessionId === undefined || each.sessionId === sessionId);
	}

	/** The last connection of a session closed. */
	closed(sessionId: string): void {
		this.#sessions.delete(sessionId);
	}
}
