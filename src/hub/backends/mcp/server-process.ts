/*
 * One process of an MCP server, or one connection to a remote one: started when it is
 * needed, stopped when it is idle, started again with backoff after a crash.
 *
 * It is never stopped during a call or while a resource is subscribed. After a restart
 * the subscriptions are made again.
 */
import type { ServerEntry } from '../../../config/configuration.ts';
import { messageOf, OrchestraError } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import { diagnosisOf, type Phase } from '../../../mcp/client/phase-error.ts';
import type { ServerConnection, ServerConnectionOptions } from '../../../mcp/client/server-connection.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import type { Change } from '../../../mcp/server/provider.ts';
import type { Transport } from '../../../transport/transport.ts';
import { openServerTransport } from './open-server-transport.ts';
import type { RestartPolicy } from './restart-policy.ts';
import { commandOf, firstLine, serverFailure } from './server-failure.ts';
import type { ServerLog } from './server-log.ts';
import type { StartLimiter } from './start-limiter.ts';

/** How long a call waits for a restart, in milliseconds; above it the call fails with the reason. */
const RESTART_WAIT_MS = 5000;

/** What all processes of a server share. */
export interface ServerParts {
	readonly entry: ServerEntry;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Longest message of the server, in bytes. */
	readonly limitBytes: number;
	readonly limiter: StartLimiter;
	readonly log: Log;
	readonly serverLog: ServerLog;
	/** The era of the last connection. */
	readonly knownEra: () => 'legacy' | 'modern' | undefined;
	/** The subscribed resources. */
	readonly subscriptions: ReadonlyMap<string, unknown>;
	/** A process is connected. */
	readonly onReady: (process: ServerProcess, connection: ServerConnection) => void;
	readonly onChange: (process: ServerProcess, change: Change) => void;
	/** The server sent a request. */
	readonly onRequest: (process: ServerProcess, method: string, params: unknown) => unknown;
	/** The server sent a log message that belongs to no call. */
	readonly onLog: (process: ServerProcess, params: unknown) => void;
}

/** What differs between the processes of a server. */
export interface ServerProcessOptions {
	readonly policy: RestartPolicy;
	readonly identity: Pick<ServerConnectionOptions, 'clientInfo' | 'capabilities'>;
	/** True when it starts again by itself while resources are subscribed. */
	readonly keepsSubscriptions: boolean;
}

export class ServerProcess {
	/** The calls in flight, and those that wait for the start. */
	readonly calls: Set<CallContext> = new Set();
	readonly #parts: ServerParts;
	readonly #options: ServerProcessOptions;
	readonly #closing = new AbortController();
	#connection: ServerConnection | undefined;
	#starting: Promise<ServerConnection> | undefined;
	/** Resolves when the last process is gone. */
	#stopping: Promise<unknown> = Promise.resolve();
	#transport: Transport | undefined;
	#startedAt: Date | undefined;
	#lastError: OrchestraError | undefined;
	#lastUsed = 0;
	#idleTimer: NodeJS.Timeout | undefined;
	#restartTimer: NodeJS.Timeout | undefined;
	/** Milliseconds per phase of the last start. */
	#elapsedMs: Record<string, number> = {};

	constructor(parts: ServerParts, options: ServerProcessOptions) {
		this.#parts = parts;
		this.#options = options;
	}

	/** Undefined while it does not run. */
	get connection(): ServerConnection | undefined {
		return this.#connection;
	}

	get isStarting(): boolean {
		return this.#starting !== undefined;
	}

	get startedAt(): Date | undefined {
		return this.#startedAt;
	}

	/** Of the running or starting child; undefined when there is none. */
	get pid(): number | undefined {
		const transport = this.#connection?.transport ?? (this.isStarting ? this.#transport : undefined);
		return transport && diagnosisOf(transport)?.pid;
	}

	/** Why it is down; undefined when it is not. */
	get lastError(): OrchestraError | undefined {
		return this.#lastError;
	}

	/** How long until a server that is down may be started, in milliseconds. */
	get delayMs(): number {
		return this.#options.policy.delayMs;
	}

	/** The connection; started if necessary. Rejects with the reason. */
	up(): Promise<ServerConnection> {
		if (this.#closing.signal.aborted) return Promise.reject(this.#shutDown());
		if (this.#connection) return Promise.resolve(this.#connection);
		this.#starting ??= this.#start().finally(() => {
			this.#starting = undefined;
		});
		return this.#starting;
	}

	/** A request was answered. */
	answered(): void {
		this.#lastUsed = performance.now();
		this.#options.policy.answered();
	}

	/** The failure of a request, with everything that is known about the process. */
	explain(thrown: unknown, phase: Phase, connection: ServerConnection, callMs: number): OrchestraError {
		const diagnosis = diagnosisOf(connection.transport);
		const elapsedMs = { ...this.#elapsedMs, [phase]: callMs };
		return this.#failure(thrown, { phase, diagnosis, elapsedMs });
	}

	/** Subscribe to a resource, or end that, when it runs. */
	async subscribe(uri: string, isSubscribed: boolean): Promise<void> {
		if (this.#connection) await this.#connection.subscribeResource(uri, isSubscribed);
		else if (isSubscribed && this.#options.keepsSubscriptions) await this.up(); // it subscribes to all
	}

	/** Stop it when nobody uses it; the next call starts it again. */
	async stopUnused(): Promise<void> {
		if (this.#isUsed || this.#connection === undefined) return;
		const connection = this.#connection;
		this.#down();
		this.#parts.serverLog.note('stopped: unused');
		this.#stopping = this.#end(connection);
		await this.#stopping;
	}

	/** Stop it for good. Idempotent. */
	async close(): Promise<void> {
		this.#closing.abort(this.#shutDown());
		clearTimeout(this.#restartTimer);
		const connection = this.#connection;
		this.#down();
		await Promise.all([
			connection?.close(),
			this.#starting?.catch(() => {}), // it was aborted
			this.#stopping,
		]);
	}

	get #isUsed(): boolean {
		return this.calls.size > 0 || (this.#options.keepsSubscriptions && this.#parts.subscriptions.size > 0);
	}

	async #start(): Promise<ServerConnection> {
		const { signal } = this.#closing;
		const { restart } = this.#parts.entry.settings;
		const { delayMs } = this.#options.policy;
		if (this.#lastError && (delayMs > RESTART_WAIT_MS || !restart)) throw this.#downError(this.#lastError);
		if (delayMs > 0) await pause(delayMs, signal);
		await this.#stopping;
		const isUrgent = (): boolean => this.calls.size > 0;
		return this.#parts.limiter.run({ start: () => this.#open(), signal, isUrgent });
	}

	async #open(): Promise<ServerConnection> {
		const { entry, log, serverLog } = this.#parts;
		this.#transport = undefined;
		this.#startedAt = new Date();
		const begin = performance.now();
		const begun = { phase: 'spawn' as Phase, at: begin };
		const start = async (): Promise<Transport> => {
			const transport = await this.#openTransport();
			this.#transport = transport;
			this.#elapsedMs = { spawn: performance.now() - begin };
			begun.phase = 'initialize';
			begun.at = performance.now();
			return transport;
		};
		try {
			const connection = await this.#connect(start);
			this.#elapsedMs['initialize'] = performance.now() - begun.at;
			return this.#ready(connection);
		} catch (thrown) {
			if (this.#closing.signal.aborted) throw this.#shutDown();
			this.#elapsedMs[begun.phase] = performance.now() - begun.at;
			const diagnosis = this.#transport && diagnosisOf(this.#transport);
			const failure = this.#failure(thrown, { phase: begun.phase, diagnosis, elapsedMs: this.#elapsedMs });
			this.#crashed(failure);
			serverLog.note(`did not start: ${firstLine(failure.message)}`);
			log.warn(firstLine(failure.message));
			log.debug(`the command of ${entry.name} is ${commandOf(entry)}`);
			throw failure;
		}
	}

	#openTransport(): Promise<Transport> {
		const { entry, environment, limitBytes, log, serverLog } = this.#parts;
		const onStderr = serverLog.reader(() => this.pid);
		return openServerTransport(entry, { environment, onStderr, limitBytes, log });
	}

	async #connect(start: () => Promise<Transport>): Promise<ServerConnection> {
		const { entry, knownEra, log, onChange, onRequest, onLog } = this.#parts;
		// Loaded when the first server starts: lists of known servers do not need it.
		const client = await import('../../../mcp/client/server-connection.ts');
		return client.ServerConnection.open(start, {
			...this.#options.identity,
			knownEra: knownEra(),
			startMs: entry.settings.startMs,
			onRequest: (method, params) => onRequest(this, method, params),
			onNotification: (method, params) => method === 'notifications/message' && onLog(this, params),
			onChange: (change) => onChange(this, change),
			onEnd: (reason) => this.#onEnd(reason),
			log,
			signal: this.#closing.signal,
		});
	}

	#ready(connection: ServerConnection): ServerConnection {
		const { entry, log, serverLog, onReady } = this.#parts;
		// It may have ended between the handshake and now.
		if (connection.endReason) throw connection.endReason;
		this.#connection = connection;
		this.#lastError = undefined;
		this.#lastUsed = performance.now();
		this.#options.policy.started();
		const { revision, serverInfo } = connection;
		const about = `${serverInfo?.name ?? 'unnamed'} ${serverInfo?.version ?? ''}, MCP ${revision.version}`;
		serverLog.note(`started: pid ${this.pid ?? '-'}, ${about}`);
		log.info(`the MCP server ${entry.name} is ready (${about})`);
		this.#stopWhenIdle(entry.settings.idleMs);
		for (const uri of this.#parts.subscriptions.keys()) this.#subscribeAgain(connection, uri);
		onReady(this, connection);
		return connection;
	}

	#subscribeAgain(connection: ServerConnection, uri: string): void {
		connection.subscribeResource(uri, true).catch((error: unknown) => {
			this.#parts.log.warn(`${uri} could not be subscribed to: ${messageOf(error)}`);
		});
	}

	/** The process ended by itself. */
	#onEnd(reason: OrchestraError): void {
		const connection = this.#connection;
		if (connection === undefined || this.#closing.signal.aborted) return;
		this.#down();
		const diagnosis = diagnosisOf(connection.transport);
		const failure = this.#failure(reason, { phase: 'call', diagnosis, elapsedMs: this.#elapsedMs });
		this.#crashed(failure);
		this.#parts.serverLog.note(`ended: ${firstLine(failure.message)}`);
		this.#parts.log.warn(firstLine(failure.message));
		this.#stopping = this.#end(connection);
		if (!this.#options.keepsSubscriptions || this.#parts.subscriptions.size === 0) return;
		this.#restartLater();
	}

	/** Start it again when its delay is over. A failed start is logged, and tried again. */
	#restartLater(): void {
		if (!this.#parts.entry.settings.restart || this.#closing.signal.aborted) return;
		clearTimeout(this.#restartTimer);
		this.#restartTimer = setTimeout(() => {
			this.up().catch(() => this.#restartLater());
		}, this.#options.policy.delayMs);
		this.#restartTimer.unref();
	}

	#crashed(failure: OrchestraError): void {
		this.#lastError = failure;
		this.#options.policy.crashed();
	}

	#down(): void {
		this.#connection = undefined;
		clearTimeout(this.#idleTimer);
	}

	async #end(connection: ServerConnection): Promise<void> {
		await connection.close().catch((error: unknown) => this.#parts.log.debug(messageOf(error)));
	}

	/** One timer for all calls: when it fires, it is armed again for the rest of the idle time. */
	#stopWhenIdle(afterMs: number): void {
		const { idleMs, eager } = this.#parts.entry.settings;
		if (idleMs === 0 || eager) return;
		clearTimeout(this.#idleTimer);
		this.#idleTimer = setTimeout(() => {
			const leftMs = this.#isUsed ? idleMs : this.#lastUsed + idleMs - performance.now();
			if (leftMs > 0) return this.#stopWhenIdle(leftMs);
			void this.stopUnused();
		}, afterMs);
		this.#idleTimer.unref();
	}

	#failure(
		thrown: unknown,
		facts: Pick<Parameters<typeof serverFailure>[1], 'phase' | 'diagnosis' | 'elapsedMs'>,
	): OrchestraError {
		const { entry, serverLog } = this.#parts;
		return serverFailure(thrown, { ...facts, entry, logFile: serverLog.file });
	}

	/** The error of a call while the server is not started. */
	#downError(cause: OrchestraError): OrchestraError {
		const { name, settings, file } = this.#parts.entry;
		const seconds = Math.ceil(this.#options.policy.delayMs / 1000);
		const next = settings.restart ? `is started again in ${seconds} s` : 'is not restarted';
		const hint = settings.restart
			? `Call it again in ${seconds} s, or correct mcpServers.${name} in ${file}.`
			: `Set restart of mcpServers.${name} in ${file} to true, or restart the hub.`;
		return new OrchestraError(
			cause.code,
			`the MCP server ${name} is down and ${next}; this call did not run. ${cause.message}`,
			{ cause, hint, data: { details: { ...detailsOf(cause), nextTryInMs: Math.round(this.delayMs) } } },
		);
	}

	#shutDown(): OrchestraError {
		return new OrchestraError('closed', `the MCP server ${this.#parts.entry.name} is shut down`);
	}
}

function detailsOf({ data }: OrchestraError): object {
	const { details } = data;
	return typeof details === 'object' && details !== null ? details : {};
}

/** Wait; rejects when `signal` is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const onAbort = (): void => {
			clearTimeout(timer);
			reject(OrchestraError.from(signal.reason, 'canceled'));
		};
		const timer = setTimeout(() => {
			signal.removeEventListener('abort', onAbort);
			resolve();
		}, ms);
		signal.addEventListener('abort', onAbort, { once: true });
	});
}
