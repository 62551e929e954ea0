/* What the processes of an MCP server share, and what differs between them. */
import type { ServerConnection, ServerConnectionOptions } from '../../../mcp/client/server-connection.ts';
import type { Change } from '../../../mcp/server/provider.ts';
import type { CancelSource } from '../../../rpc/calls/pending.ts';
import type { RestartPolicy } from '../../../rpc/restart-policy.ts';
import type { StartCounts } from '../../../rpc/supervisor.ts';
import type { ExtensionRules } from '../../extensions.ts';
import type { ServerOpeningDeps } from './process/server-opening.ts';
import type { ServerProcess } from './process/server-process.ts';
import type { StartLimiter } from './process/start-limiter.ts';
import type { ResourceWatchers } from './resource-watchers.ts';

/** A request of a server to its client. */
export interface ServerRequest {
	readonly method: string;
	readonly params: unknown;
	/** Aborted when the server no longer needs the answer. */
	readonly signal: AbortSignal;
	/** The call on whose stream the request came; undefined when all calls share one. */
	readonly call: CancelSource | undefined;
}

/** The deps that all processes of a server share. */
export interface ServerDeps extends ServerOpeningDeps {
	readonly limiter: StartLimiter;
	readonly extensions: ExtensionRules;
	readonly starts: StartCounts;
	/** The clock of restarts. */
	readonly now?: (() => number) | undefined;
	/** The era, when the next start need not find it out. */
	readonly knownEra: () => 'legacy' | 'modern' | undefined;
	/** Whether its lists are known. */
	readonly isKnown: () => boolean;
	/** A process is connected. */
	readonly onReady: (process: ServerProcess, connection: ServerConnection) => void;
	readonly onChange: (process: ServerProcess, change: Change) => void;
	readonly onRequest: (process: ServerProcess, request: ServerRequest) => unknown;
	/** The server sent a notification that belongs to no call. */
	readonly onNotification: (process: ServerProcess, method: string, params: unknown) => void;
}

/** The deps that differ between the processes of a server. */
export interface ServerProcessOptions {
	readonly policy: RestartPolicy;
	readonly identity: () => Pick<ServerConnectionOptions, 'clientInfo' | 'capabilities'>;
	/** The session that it is for; undefined for all. */
	readonly sessionId?: string | undefined;
	/** The resources that keep it running. */
	readonly watchers?: ResourceWatchers | undefined;
	/** True when it serves one call: that it ended says nothing about the next one. */
	readonly isSingleUse?: boolean;
}
