/* What the endpoints of both eras share: one request of a client, and its messages. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';
import type { SharedState } from '../mcp/server/mcp-session.ts';
import type { Provider } from '../mcp/server/provider.ts';
import type { Message } from '../wire/json-rpc.ts';
import type { Principal } from './authenticate.ts';
import type { EventStreamPool } from './event-stream.ts';
import type { HttpLimits } from './http-limits.ts';
import { type HttpRefusal, invalidRequest } from './http-reply.ts';
import type { LegacySessionTable } from './legacy/legacy-session-table.ts';
import type { StreamHeartbeats } from './stream-heartbeats.ts';

export const SESSION_HEADER = 'mcp-session-id';
export const VERSION_HEADER = 'mcp-protocol-version';

export interface McpEndpointDeps {
	readonly provider: Provider;
	readonly shared: SharedState;
	readonly sessions: LegacySessionTable;
	readonly limits: HttpLimits;
	readonly heartbeats: StreamHeartbeats;
	/** Whether the header `traceparent` counts for a request whose `_meta` has none. */
	readonly continuesTraces?: boolean | undefined;
	readonly log: Log;
}

/** One request with its reply and its sender. */
export interface HttpExchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly principal: Principal;
	/** The open event streams of the listener. */
	readonly streams: EventStreamPool;
}

/** A message of a body: classified, parsed and as text. */
export interface ReceivedMessage {
	readonly read: Exclude<Message, { kind: 'invalid' }>;
	readonly value: unknown;
	readonly text: string;
}

export const tooManyStreams: HttpRefusal = {
	status: 503,
	message: 'too many event streams are open',
	headers: { 'Retry-After': '5' },
};

export function invalidMessage({ id, reason }: Message & { kind: 'invalid' }): HttpRefusal {
	return invalidRequest(`invalid request: ${reason}`, id ?? undefined);
}

export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}
