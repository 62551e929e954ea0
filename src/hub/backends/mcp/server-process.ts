/*
 * One process of an MCP server, or one connection to a remote one: started when it is
 * needed, stopped when it is idle, started again with backoff after a crash.
 *
 * It is never stopped during a call or while a resource is subscribed. After a restart
 * the subscriptions are made again.
 */
import { messageOf, OrchestraError } from '../../../errors.ts';
import { diagnosisOf, type Phase } from '../../../mcp/client/phase-error.ts';
import type { ServerConnection, ServerConnectionOptions } from '../../../mcp/client/server-connection.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import { CallTable } from '../../../rpc/call-table.ts';
import { pause } from '../../../rpc/clock.ts';
import { IdleTimer } from './idle-timer.ts';
import {
	commandOf,
	firstLine,
	needsSignIn,
	retryAfterOf,
	serverDown,
	serverFailure,
} from './server-failure.ts';
import { ServerOpening } from './server-opening.ts';
import type { ServerParts, ServerProcessOptions } from './server-parts.ts';

/** How long a call waits for a restart, in milliseconds; above it the call fails with the reason. */
const RESTART_WAIT_MS = 5000;

/** How long until a server that needs a sign-in is started again for its watched resources, in milliseconds. */
const SIGN_IN_RETRY_MS = 30_000;

export class ServerProcess {
	/** The calls in flight, and those that wait for the start. */
	readonly calls: CallTable<number, CallContext> = new CallTable();
	readonly #parts: ServerParts;
	readonly #options: ServerProcessOptions;
	/** Made at the first start: most servers of a hub are never started. */
	#starts: AbortController | undefined;
	#isClosed = false;
	#connection: ServerConnection | undefined;
	#starting: Promise<ServerConnection> | undefined;
	/** Resolves when the last process is gone. */
	#stopping: Promise<unknown> = Promise.resolve();
	/** The last start. */
	#opening: ServerOpening | undefined;
	#startedAt: Date | undefined;
	#wasCalled = false;
	#keptUntil = 0;
	readonly #idle: IdleTimer;
	#restartTimer: NodeJS.Timeout | undefined;

	constructor(parts: ServerParts, options: ServerProcessOptions) {
		this.#parts = parts;
		this.#options = options;
		const { idleMs, eager } = parts.entry.settings;
		this.#idle = new IdleTimer({
			idleMs: eager ? 0 : idleMs,
			isUsed: () => this.#isUsed,
			onIdle: () => void this.stopUnused(),
		});
	}

	get sessionId(): string | undefined {
		return this.#options.sessionId;
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
		if (this.#connection) return diagnosisOf(this.#connection.transport)?.pid;
		return this.isStarting ? this.#opening?.diagnosis?.pid : undefined;
	}

	/** Why it is down; undefined when it is not. */
	get lastError(): OrchestraError | undefined {
		return this.#connection ? undefined : this.#options.policy.down?.error;
	}

	/** True when a call used it since it started. */
	get wasCalled(): boolean {
		return this.#wasCalled;
	}

	/** How long until a server that is down may be started, in milliseconds. */
	get delayMs(): number {
		return this.#options.policy.delayMs;
	}

	/** The connection; started if necessary. Rejects with the reason. */
	up(): Promise<ServerConnection> {
		if (this.#isClosed) return Promise.reject(this.#shutDown());
		if (this.#connection) return Promise.resolve(this.#connection);
		this.#starting ??= this.#start().finally(() => {
			this.#starting = undefined;
		});
		return this.#starting;
	}

	/** A call was answered. */
	answered(): void {
		this.#wasCalled = true;
		this.listed();
	}

	/** Lists were read. */
	listed(): void {
		this.#idle.used();
		this.#options.policy.answered();
	}

	/** Do not stop it as unused for so long: a client may answer a question of the server. */
	keepFor(ms: number): void {
		this.#keptUntil = performance.now() + ms;
	}

	/** The failure of a request, with everything that is known about the process. */
	explain(thrown: unknown, phase: Phase, connection: ServerConnection, callMs: number): OrchestraError {
		const diagnosis = diagnosisOf(connection.transport);
		const elapsedMs = { ...this.#opening?.elapsedMs, [phase]: callMs };
		return this.#failure(thrown, { phase, diagnosis, elapsedMs });
	}

	/** Subscribe to one of its watched resources; starts it. */
	watch(uri: string): void {
		if (this.#connection) this.#subscribe(this.#connection, uri);
		else this.keepUp(); // a start subscribes to all
	}

	/** Start it without a call. A failed start is logged, and tried again while it is needed. */
	keepUp(): void {
		this.up().catch(() => this.#restartLater());
	}

	/** Stop it when nobody uses it; the next call starts it again. */
	async stopUnused(): Promise<void> {
		if (this.#isUsed || this.#connection === undefined || this.#parts.entry.settings.eager) return;
		const connection = this.#connection;
		this.#down();
		this.#parts.serverLog.note('stopped: unused');
		this.#stopping = this.#end(connection);
		await this.#stopping;
	}

	/** Stop it for good. Idempotent. */
	async close(): Promise<void> {
		this.#isClosed = true;
		this.#starts?.abort(this.#shutDown());
		clearTimeout(this.#restartTimer);
		const connection = this.#connection;
		this.#down();
		await Promise.all([
			connection?.close(),
			this.#starting?.catch(() => {}), // it was aborted
			this.#opening?.close(),
			this.#stopping,
		]);
	}

	get #isUsed(): boolean {
		return (
			this.calls.size > 0 || performance.now() < this.#keptUntil || this.#options.watchers?.isEmpty === false
		);
	}

	async #start(): Promise<ServerConnection> {
		this.#starts ??= new AbortController();
		const { signal } = this.#starts;
		const { delayMs, down } = this.#options.policy;
		// A start that failed a moment ago would fail again; only a crash is worth a wait.
		const mayWait = this.#parts.entry.settings.restart && delayMs <= (down?.isStart ? 0 : RESTART_WAIT_MS);
		if (down && !mayWait) throw serverDown(this.#parts.entry, down.error, delayMs);
		if (delayMs > 0) await pause(delayMs, signal);
		await this.#stopping;
		const isUrgent = (): boolean => this.calls.size > 0 || !this.#parts.isKnown();
		return this.#parts.limiter.run({ start: () => this.#open(), signal, isUrgent });
	}

	async #open(): Promise<ServerConnection> {
		const { entry, log, serverLog } = this.#parts;
		this.#startedAt = new Date();
		const opening = new ServerOpening(this.#parts, this.#connectionOptions());
		this.#opening = opening;
		try {
			return this.#ready(await opening.run());
		} catch (thrown) {
			if (this.#isClosed) throw this.#shutDown();
			this.#parts.starts.failed();
			const { phase, elapsedMs, diagnosis } = opening;
			const failure = this.#failure(thrown, { phase, diagnosis, elapsedMs });
			const retryAfterMs = retryAfterOf(thrown);
			if (!needsSignIn(thrown)) this.#options.policy.crashed({ error: failure, isStart: true, retryAfterMs });
			this.#stopping = opening.close();
			serverLog.note(`did not start: ${firstLine(failure.message)}`);
			log.warn(firstLine(failure.message));
			log.debug(`the command of ${entry.name} is ${commandOf(entry)}`);
			throw failure;
		}
	}

	#connectionOptions(): ServerConnectionOptions {
		const { entry, knownEra, log, onChange, onRequest, onNotification } = this.#parts;
		return {
			...this.#options.identity,
			knownEra: knownEra(),
			startMs: entry.settings.startMs,
			onRequest: (method, params, { signal }) => onRequest(this, method, params, signal),
			onNotification: (method, params) => onNotification(this, method, params),
			onChange: (change) => onChange(this, change),
			onEnd: (reason) => this.#onEnd(reason),
			log,
			signal: this.#starts?.signal,
		};
	}

	#ready(connection: ServerConnection): ServerConnection {
		const { entry, log, serverLog, onReady } = this.#parts;
		// It may have ended between the handshake and now.
		const { revision, serverInfo, endReason } = connection;
		if (endReason) throw endReason;
		this.#connection = connection;
		this.#wasCalled = false;
		this.#parts.starts.started(this.#options.policy.down !== undefined);
		this.#options.policy.started();
		const about = `${serverInfo?.name ?? 'unnamed'} ${serverInfo?.version ?? ''}, MCP ${revision.version}`;
		serverLog.note(`started: pid ${this.pid ?? '-'}, ${about}`);
		log.info(`the MCP server ${entry.name} is ready (${about})`);
		this.#idle.start();
		for (const uri of this.#options.watchers?.uris ?? []) this.#subscribe(connection, uri);
		onReady(this, connection);
		return connection;
	}

	#subscribe(connection: ServerConnection, uri: string): void {
		const onGap = (): void => this.#parts.onChange(this, { kind: 'resource', uri });
		this.#options.watchers?.subscribe(uri, connection, onGap);
	}

	/** The process ended by itself. */
	#onEnd(reason: OrchestraError): void {
		const connection = this.#connection;
		if (connection === undefined || this.#isClosed) return;
		this.#down();
		const diagnosis = diagnosisOf(connection.transport);
		const elapsedMs = this.#opening?.elapsedMs ?? {};
		const failure = this.#failure(reason, { phase: 'call', diagnosis, elapsedMs });
		if (!this.#options.isSingleUse) this.#options.policy.crashed({ error: failure, isStart: false });
		this.#parts.serverLog.note(`ended: ${firstLine(failure.message)}`);
		this.#parts.log.warn(firstLine(failure.message));
		this.#stopping = this.#end(connection);
		this.#restartLater();
	}

	/** True when it must run without a call: for its watched resources, or because it is eager. */
	get #isNeeded(): boolean {
		const { watchers, sessionId, isSingleUse = false } = this.#options;
		const isForAll = sessionId === undefined && !isSingleUse;
		return watchers?.isEmpty === false || (isForAll && this.#parts.entry.settings.eager);
	}

	/** Start it again when its delay is over, if it is needed. */
	#restartLater(): void {
		const { policy } = this.#options;
		clearTimeout(this.#restartTimer);
		if (!this.#parts.entry.settings.restart || this.#isClosed || !this.#isNeeded) return;
		const delayMs = policy.down ? policy.delayMs : SIGN_IN_RETRY_MS;
		this.#restartTimer = setTimeout(() => this.#isNeeded && this.keepUp(), delayMs).unref();
	}

	#down(): void {
		this.#connection = undefined;
		this.#idle.stop();
	}

	readonly #end = (connection: ServerConnection): Promise<void> =>
		connection.close().catch((error: unknown) => this.#parts.log.debug(messageOf(error)));

	#failure(
		thrown: unknown,
		facts: Pick<Parameters<typeof serverFailure>[1], 'phase' | 'diagnosis' | 'elapsedMs'>,
	): OrchestraError {
		const { entry, serverLog } = this.#parts;
		return serverFailure(thrown, { ...facts, entry, logFile: serverLog.file });
	}

	#shutDown(): OrchestraError {
		return new OrchestraError('closed', `the MCP server ${this.#parts.entry.name} is shut down`);
	}
}
