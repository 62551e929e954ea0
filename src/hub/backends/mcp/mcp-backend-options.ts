/* The parts that the backend of an MCP server is made of. */
import type { ServerEntry } from '../../../config/configuration.ts';
import type { Log } from '../../../log.ts';
import type { ConnectedClients } from '../../connected-clients.ts';
import type { ToolReview } from './server-pins.ts';
import type { StartLimiter } from './start-limiter.ts';

export interface McpBackendOptions {
	readonly entry: ServerEntry;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** The state folder: for what is known of servers, and their logs. */
	readonly folder: string;
	/** Of this program. */
	readonly version: string;
	/** Shared by all servers of the hub. */
	readonly limiter: StartLimiter;
	/** The clients of the hub. */
	readonly clients: ConnectedClients;
	/** Longest message of a client, in bytes. A server may send longer ones: at least 64 MiB. */
	readonly messageBytes?: number | undefined;
	readonly log: Log;
	/** The clock of restarts, in milliseconds. Default: `performance.now`. */
	readonly now?: (() => number) | undefined;
	/** Shared by all servers of the hub. */
	readonly review: ToolReview;
}
