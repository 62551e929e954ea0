/* An MCP session with the hub on any transport: a tunnel of a bridge, or a pair in memory. */
import type { Log } from '../../log.ts';
import { McpSession, type SharedState } from '../../mcp/server/mcp-session.ts';
import type { TunneledSession } from '../../plugin/tunnel-id.ts';
import type { Transport } from '../../transport/transport.ts';
import type { OpenedHub } from '../open-hub.ts';

export interface SessionDeps extends TunneledSession {
	/** Called after the hub is open. */
	readonly opened: () => Pick<OpenedHub, 'hub'>;
	readonly shared: SharedState;
	readonly log: Log;
	/** The name of the transport. Default `link`. */
	readonly transport?: string;
}

/** Serve an MCP session on a transport until it ends. */
export function serveSession(
	transport: Transport,
	{ opened, shared, log, sessionId, view, transport: kind = 'link' }: SessionDeps,
): void {
	if (sessionId !== undefined && view !== undefined) opened().hub.exposure?.useView(sessionId, view);
	const session = new McpSession(opened().hub, { shared, log, sessionId, transport: kind });
	session.serve(transport, 'the client is gone');
}
