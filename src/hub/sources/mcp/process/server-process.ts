/*
 * One process of an MCP server, or one connection to a remote one. The supervisor starts it
 * when it is needed, stops it when it is idle, and starts it again with backoff after a crash.
 *
 * It is never stopped during a call or while a resource is subscribed. After a restart
 * the subscriptions are made again.
 */
import { firstLine, type OrchestraError } from '../../../../errors.ts';
import { diagnosisOf, type Phase } from '../../../../mcp/client/phase-error.ts';
import type { ServerConnection, ServerConnectionOptions } from '../../../../mcp/client/server-connection.ts';
import type { CallContext } from '../../../../mcp/server/call-context.ts';
import { CallTable } from '../../../../rpc/calls/call-table.ts';
import { type Ending, Supervisor } from '../../../../rpc/supervisor.ts';
import { needsSignIn, type SourceState } from '../../../source-status.ts';
import type { ServerDeps, ServerProcessOptions } from '../server-deps.ts';
import { commandOf, retryAfterOf, serverDown, serverFailure } from './server-failure.ts';
import { ServerOpening } from './server-opening.ts';

export class ServerProcess {
	/** The calls in flight, and those that wait for the start. */
	readonly calls: CallTable<number, { readonly context: CallContext }> = new CallTable();
	/** Starts it, and says why it is down. */
	readonly supervisor: Supervisor<ServerConnection>;
	readonly #deps: ServerDeps;
	readonly #options: ServerProcessOptions;
	/** The last start. */
	#opening: ServerOpening | undefined;
	/** Resolves when the process of a failed start is gone. */
	#cleanUp: Promise<void> | undefined;
	#startedAt: Date | undefined;
	#wasCalled = false;
	#staysUntil = 0;

	constructor(deps: ServerDeps, options: ServerProcessOptions) {
		this.#deps = deps;
		this.#options = options;
		const { entry, log, serverLog, starts: counts } = deps;
		const { restart, eager, idleMs } = entry.settings;
		this.supervisor = new Supervisor<ServerConnection>(
			{
				name: `the MCP server ${entry.name}`,
				start: (signal, onEnd) => this.#start(signal, onEnd),
				stop: (connection) => connection.close(),
				onStarted: (connection) => this.#ready(connection),
				onDown: ({ error }, isStart) => {
					serverLog.event(`${isStart ? 'did not start' : 'ended'}: ${firstLine(error.message)}`);
					log.warn(firstLine(error.message));
					if (isStart) log.debug(`the command of ${entry.name} is ${commandOf(entry)}`);
				},
				onStopped: () => serverLog.event('stopped: unused'),
				failedStart: (thrown) => this.#failedStart(thrown),
				downError: ({ error }, delayMs) => serverDown(entry, error, delayMs),
				isNeeded: () => this.#isNeeded,
				isUsed: () => this.#isUsed,
				idleMs: () => (eager ? 0 : idleMs),
			},
			{ policy: options.policy, log, counts, restart },
		);
	}

	get sessionId(): string | undefined {
		return this.#options.sessionId;
	}

	/** Undefined while it does not run. */
	get connection(): ServerConnection | undefined {
		return this.supervisor.running;
	}

	/** The contexts of the calls in flight. */
	get contexts(): CallContext[] {
		return [...this.calls.values()].map(({ context }) => context);
	}

	/** Whether it runs calls that go on without their client. */
	get hasTasks(): boolean {
		return this.contexts.some(({ durable }) => durable !== undefined);
	}

	get state(): SourceState {
		if (this.connection) return this.calls.size > 0 ? 'ready' : 'idle';
		if (this.supervisor.isStarting) return 'starting';
		if (this.supervisor.lastError) return 'failed';
		return this.#startedAt === undefined ? 'known' : 'stopped';
	}

	get startedAt(): Date | undefined {
		return this.#startedAt;
	}

	/** The process id of the running or starting child; undefined when there is none. */
	get pid(): number | undefined {
		if (this.connection) return diagnosisOf(this.connection.transport)?.pid;
		return this.supervisor.isStarting ? this.#opening?.diagnosis?.pid : undefined;
	}

	/** True when a call used it since it started. */
	get wasCalled(): boolean {
		return this.#wasCalled;
	}

	/** A call was answered. */
	answered(): void {
		this.#wasCalled = true;
		this.supervisor.answered(true);
	}

	/** Do not stop it as unused for so long: a client may answer a client request of the server. */
	keepFor(ms: number): void {
		this.#staysUntil = performance.now() + ms;
	}

	/** The failure of a request, with everything that is known about the process. */
	explain(thrown: unknown, phase: Phase, connection: ServerConnection, callMs: number): OrchestraError {
		const diagnosis = diagnosisOf(connection.transport);
		const elapsedMs = { ...this.#opening?.elapsedMs, [phase]: callMs };
		return this.#failure(thrown, { phase, diagnosis, elapsedMs });
	}

	/** Subscribe to one of its watched resources; starts it. */
	watch(uri: string): void {
		if (this.connection) this.#subscribe(this.connection, uri);
		else this.supervisor.keepUp(); // a start subscribes to all
	}

	/** Stop it when no call uses it; the next call starts it again. */
	async stopUnused(): Promise<void> {
		if (!this.#deps.entry.settings.eager) await this.supervisor.stopUnused();
	}

	/** Stop it for good. Idempotent. */
	async close(): Promise<void> {
		await Promise.all([this.supervisor.close(), this.#opening?.close(), this.#cleanUp]);
	}

	get #isUsed(): boolean {
		return (
			this.calls.size > 0 || performance.now() < this.#staysUntil || this.#options.watchers?.isEmpty === false
		);
	}

	/** True when it must run without a call: for its watched resources, or because it is eager. */
	get #isNeeded(): boolean {
		const { watchers, sessionId, isSingleUse = false } = this.#options;
		const isForAll = sessionId === undefined && !isSingleUse;
		return watchers?.isEmpty === false || (isForAll && this.#deps.entry.settings.eager);
	}

	async #start(signal: AbortSignal, onEnd: (ending: Ending) => void): Promise<ServerConnection> {
		const { limiter, isKnown } = this.#deps;
		await this.#cleanUp;
		const isUrgent = (): boolean => this.calls.size > 0 || !isKnown();
		return limiter.run({ start: () => this.#open(signal, onEnd), signal, isUrgent });
	}

	async #open(signal: AbortSignal, onEnd: (ending: Ending) => void): Promise<ServerConnection> {
		this.#startedAt = new Date();
		let connection: ServerConnection | undefined;
		const onServerEnd = (reason: OrchestraError): void => {
			if (!connection) return;
			const { elapsedMs } = opening;
			const diagnosis = diagnosisOf(connection.transport);
			const error = this.#failure(reason, { phase: 'call', diagnosis, elapsedMs });
			onEnd({ error, isCrash: !this.#options.isSingleUse });
		};
		const opening = new ServerOpening(this.#deps, this.#connectionOptions(signal, onServerEnd));
		this.#opening = opening;
		connection = await opening.run();
		// It may have ended between the handshake and now.
		if (connection.endReason) throw connection.endReason;
		return connection;
	}

	/** A server that refuses us for lack of authorization is well. */
	#failedStart(thrown: unknown): Ending {
		this.#cleanUp = this.#opening?.close();
		const { phase = 'spawn', elapsedMs = {}, diagnosis } = this.#opening ?? {};
		const error = this.#failure(thrown, { phase, elapsedMs, diagnosis });
		return { error, isCrash: !needsSignIn(thrown), retryAfterMs: retryAfterOf(thrown) };
	}

	#connectionOptions(signal: AbortSignal, onEnd: (reason: OrchestraError) => void): ServerConnectionOptions {
		const { entry, knownEra, log, onChange, onRequest, onNotification } = this.#deps;
		return {
			...this.#options.identity(),
			knownEra: knownEra(),
			startMs: entry.settings.startMs,
			onRequest: (method, params, { signal: ended }, call) =>
				onRequest(this, { method, params, signal: ended, call }),
			onNotification: (method, params) => onNotification(this, method, params),
			onChange: (change) => onChange(this, change),
			onEnd,
			log,
			signal,
		};
	}

	#ready(connection: ServerConnection): void {
		const { entry, log, serverLog, onReady } = this.#deps;
		const { revision, serverInfo } = connection;
		this.#wasCalled = false;
		const about = `${serverInfo?.name ?? 'unnamed'} ${serverInfo?.version ?? ''}, MCP ${revision.version}`;
		serverLog.event(`started: pid ${this.pid ?? '-'}, ${about}`);
		log.info(`the MCP server ${entry.name} is ready (${about})`);
		for (const uri of this.#options.watchers?.uris ?? []) this.#subscribe(connection, uri);
		onReady(this, connection);
	}

	#subscribe(connection: ServerConnection, uri: string): void {
		const onGap = (): void => this.#deps.onChange(this, { kind: 'resource', uri });
		this.#options.watchers?.subscribe(uri, connection, onGap);
	}

	#failure(
		thrown: unknown,
		facts: Pick<Parameters<typeof serverFailure>[1], 'phase' | 'diagnosis' | 'elapsedMs'>,
	): OrchestraError {
		const { entry, serverLog } = this.#deps;
		return serverFailure(thrown, { ...facts, entry, logFile: serverLog.file });
	}
}
