/* The deps of the source of an MCP server. */
import type { ServerEntry } from '../../../config/configuration.ts';
import type { Log } from '../../../log.ts';
import type { ConnectedClients } from '../../sessions/connected-clients.ts';
import type { StartLimiter } from './process/start-limiter.ts';
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
