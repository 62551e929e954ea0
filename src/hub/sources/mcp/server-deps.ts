/* The deps of the source of an MCP server, of all its processes, and of one of them. */
import type { ServerEntry } from '../../../config/configuration.ts';
import type { Log } from '../../../log.ts';
import type { ServerConnection, ServerConnectionOptions } from '../../../mcp/client/server-connection.ts';
import type { Change } from '../../../mcp/server/provider.ts';
import type { CancelSource } from '../../../rpc/calls/pending.ts';
import type { RestartPolicy } from '../../../rpc/restart-policy.ts';
import type { StartCounts } from '../../../rpc/supervisor.ts';
import type { ExtensionRules } from '../../extensions.ts';
import type { ConnectedClients } from '../../sessions/connected-clients.ts';
import type { ServerLog } from './process/server-log.ts';
import type { ServerProcess } from './process/server-process.ts';
import type { StartLimiter } from './process/start-limiter.ts';
import type { ResourceWatchers } from './resource-watchers.ts';
import type { ToolReview } from './tools/server-pins.ts';

/** Follows the servers that are started for their first lists. */
export interface Learning {
	/** A server is being learnt. @param key the fingerprint of its entry */
	begin(key: string): void;
	/** It is known, or it failed. */
	end(key: string): void;
}

export interface McpSourceOptions {
	readonly entry: ServerEntry;
	/** Equal for an equal entry. */
	readonly configurationKey?: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** The state folder: for what is known of servers, and their logs. */
	readonly folder: string;
	/** The version of this program. */
	readonly version: string;
	/** Shared by all servers of the hub. */
	readonly limiter: StartLimiter;
	/** The clients of the hub. */
	readonly clients: ConnectedClients;
	/** Whether lists wait also for a server whose last start failed. Default false. */
	readonly waitsForFailed?: boolean | undefined;
	/** Longest message of a client, in bytes. A server may send longer ones: at least 64 MiB. */
	readonly messageBytes?: number | undefined;
	/** Default: a server whose first start has not ended when the hub is closed stays unknown. */
	readonly learning?: Learning | undefined;
	/** Identifiers of extensions that pass in both directions although the hub does not know them. */
	readonly passedExtensions?: readonly string[] | undefined;
	readonly log: Log;
	/** The clock of restarts, in milliseconds. Default: `performance.now`. */
	readonly now?: (() => number) | undefined;
	/** Shared by all servers of the hub. */
	readonly review: ToolReview;
}

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
export interface ServerDeps
	extends Pick<McpSourceOptions, 'entry' | 'environment' | 'limiter' | 'log' | 'now'> {
	/** Longest message of the server, in bytes. */
	readonly limitBytes: number;
	readonly serverLog: ServerLog;
	readonly extensions: ExtensionRules;
	readonly starts: StartCounts;
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
