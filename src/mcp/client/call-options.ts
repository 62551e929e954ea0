/* The options of a client and of its calls. */
import type { CallProgress, Implementation, McpLogLevel } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import type { ClientHandlers } from './client-handlers.ts';
import type { ServerConnectionOptions } from './server-connection.ts';
import type { ServerRequestOptions } from './server-link.ts';

/** Who connects, how it answers the server, and the deadlines of the start. */
export interface McpClientOptions
	extends ClientHandlers,
		Pick<ServerConnectionOptions, 'knownEra' | 'probeMs' | 'startMs' | 'log' | 'signal'> {
	/** Default: this package. */
	clientInfo?: Implementation | undefined;
	/** Capabilities to declare in addition to those of the handlers. */
	capabilities?: Readonly<Record<string, unknown>> | undefined;
	/** Check structured results against the `outputSchema` of the last listing. Default true. */
	checksOutput?: boolean | undefined;
}

/** A log message of the server. */
export interface ServerLogMessage {
	level: McpLogLevel;
	data?: unknown;
	logger?: string;
}

/** Deadlines, cancellation, progress and logs of one call. */
export interface McpCallOptions {
	/** Idle timeout in milliseconds; progress restarts it, and it pauses while a handler answers. Default 30 s. */
	timeoutMs?: number | undefined;
	/** Total timeout in milliseconds, client requests to handlers included. Default: none. */
	maxMs?: number | undefined;
	/** Cancels the call: it rejects at once, and the server is notified. */
	signal?: AbortSignal | undefined;
	onProgress?: ((progress: CallProgress) => void) | undefined;
	/** Receives the log messages of this call, as far as the server marks them or no other call is in flight. */
	onLog?: ((message: ServerLogMessage) => void) | undefined;
}

/** The subject of a completion: an argument of a prompt, or a variable of a resource template. */
export interface CompletionQuery {
	ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
	argument: { name: string; value: string };
	/** Arguments that are already filled in. */
	context?: { arguments: Record<string, string> };
}

/** The options of a call as the connection takes them. */
export function requestOptions({
	timeoutMs,
	maxMs,
	signal,
	onProgress,
	onLog,
}: McpCallOptions): ServerRequestOptions {
	return {
		timeoutMs,
		maxTotalMs: maxMs,
		signal,
		onProgress: onProgress && ((params) => isProgress(params) && onProgress(params)),
		onLog: onLog && ((params) => isLogMessage(params) && onLog(params)),
	};
}

function isProgress(params: unknown): params is CallProgress {
	return isObject(params) && typeof params['progress'] === 'number';
}

/** Whether the params of a notification are a log message. */
export function isLogMessage(params: unknown): params is ServerLogMessage {
	return isObject(params) && typeof params['level'] === 'string';
}
