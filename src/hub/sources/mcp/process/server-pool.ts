/*
 * The processes of one MCP server, by scope: one for all clients, one per session of a
 * client, or one per call.
 */
import type { ServerScope } from '../../../../config/configuration.ts';
import { OrchestraError } from '../../../../errors.ts';
import type { ServerConnection } from '../../../../mcp/client/server-connection.ts';
import type { CallContext, ClientConnection } from '../../../../mcp/server/call-context.ts';
import type { Implementation } from '../../../../protocol/mcp-types.ts';
import { RestartPolicy } from '../../../../rpc/restart-policy.ts';
import { isObject } from '../../../../wire/json.ts';
import { servedExtensions } from '../../../extensions.ts';
import type { ProcessAction } from '../../../source.ts';
import { type OwnedProcess, type SourceStatus, stateOf } from '../../../source-status.ts';
import { POOL_FAILED_MS, POOL_SESSIONS_LIMIT } from '../../source-limits.ts';
import { ResourceWatchers } from '../resource-watchers.ts';
import type { CachedServer } from '../server-cache.ts';
import type { ServerDeps, ServerProcessOptions } from '../server-deps.ts';
import type { ScopeChoice } from './scope-choice.ts';
import { commandOf } from './server-failure.ts';
import { ServerProcess } from './server-process.ts';

/** A client with a process of its own. */
type PoolClient = Pick<ClientConnection, 'sessionId' | 'clientInfo' | 'capabilities' | 'revision'>;

/** Declared to a process of several clients, or of a modern one. A client request that the calling client cannot answer gets an error. */
const allCapabilities: Readonly<Record<string, unknown>> = {
	elicitation: { form: {}, url: {} },
	sampling: { tools: {}, context: {} },
	roots: { listChanged: true },
	extensions: servedExtensions,
};

/** The capabilities of the process whose lists clients see: some servers choose their tools by them. */
export function listingCapabilities(scope: ServerScope): Readonly<Record<string, unknown>> {
	return scope === 'shared' ? allCapabilities : { extensions: servedExtensions };
}

export class ServerPool {
	readonly #deps: ServerDeps;
	/** The scope of the processes that run; undefined before the first use. */
	#currentScope: ServerScope | undefined;
	readonly #choice: ScopeChoice;
	readonly #clientInfo: Implementation;
	/** The process for all clients; with another scope, the one for lists. */
	#shared: ServerProcess;
	readonly #sessions = new Map<string, ServerProcess>();
	/** Keyed by session, because they outlive a process. */
	readonly #watchers = new Map<string | undefined, ResourceWatchers>();
	readonly #perCall = new Set<ServerProcess>();
	#callPolicy: RestartPolicy;
	/** Resolves when the processes that a user stopped are gone. */
	#stopping: Promise<unknown> = Promise.resolve();
	#isClosed = false;
	#isStopped = false;
	/** The number of requests of the user to start or stop it. */
	#requests = 0;

	constructor(deps: ServerDeps, choice: ScopeChoice, clientInfo: Implementation) {
		this.#deps = deps;
		this.#choice = choice;
		this.#clientInfo = clientInfo;
		this.#callPolicy = restartPolicy(deps);
		this.#shared = this.#makeShared();
	}

	/** A server that sends client requests has a process for each of them from its next start. */
	get scope(): ServerScope {
		const { next } = this.#choice;
		if (this.#currentScope !== next && !this.#isShared) this.#currentScope = next;
		return this.#currentScope ?? next;
	}

	/** True when a user stopped it, until it is used again. */
	get isStopped(): boolean {
		return this.#isStopped;
	}

	/** The process that is used for lists. */
	get lister(): ServerProcess {
		return this.#shared;
	}

	/** The connection of any process that runs. */
	get running(): ServerConnection | undefined {
		return this.all.find(({ connection }) => connection !== undefined)?.connection;
	}

	/** Every process, the shared one first. */
	get all(): readonly ServerProcess[] {
		return [this.#shared, ...this.#sessions.values(), ...this.#perCall];
	}

	/** The part of a status that is read of the processes and of what is known of the server. @param failure why a server without lists could not be started */
	status(known: CachedServer | undefined, failure: OrchestraError | undefined): SourceStatus {
		const { all } = this;
		const running = all.filter(({ pid }) => pid !== undefined);
		const failed = all.find(({ supervisor }) => supervisor.lastError !== undefined)?.supervisor;
		const error = failed?.lastError ?? failure;
		const states = [...all.map(({ state }) => state), ...(this.#isStopped ? ['stopped' as const] : [])];
		const isRestarted = failed && this.#deps.entry.settings.restart;
		return {
			state: stateOf(states, known !== undefined, error !== undefined),
			error,
			isListed: known !== undefined,
			nextTryAt: isRestarted ? new Date(Date.now() + failed.delayMs) : undefined,
			pid: running[0]?.pid,
			startedAt: running[0]?.startedAt,
			processes: running.length,
			era: known?.era,
			revision: known?.revision,
			version: known?.serverInfo?.version,
		};
	}

	processes(): OwnedProcess[] {
		const { entry } = this.#deps;
		return this.all.flatMap(({ pid, startedAt, state }) => {
			if (pid === undefined || startedAt === undefined) return [];
			return [{ backend: entry.name, pid, command: commandOf(entry), startedAt, state }];
		});
	}

	/** The process for a call, if it runs and is not for this call alone. */
	runningFor(context: CallContext): ServerProcess | undefined {
		if (this.scope === 'shared') return this.#shared;
		return this.scope === 'session' ? this.#sessions.get(context.sessionId) : undefined;
	}

	/** The process for a call. `release` it afterwards. */
	take(context: CallContext): ServerProcess {
		this.#isStopped = false;
		if (this.scope === 'shared') return this.#shared;
		this.#assertOpen();
		return this.scope === 'session' ? this.#ofSession(poolClient(context)) : this.#ofCall(context);
	}

	/** The call ended. A process that was only for it is stopped; one of a session that has ended, when its last task has. */
	release(process: ServerProcess): void {
		if (!this.#perCall.has(process) || process.hasTasks) return;
		// `all` has it until it is gone.
		void process.close().finally(() => this.#perCall.delete(process));
	}

	/** Subscribe a client to a resource of its process. Rejects with the refusal of the server. */
	async subscribe(uri: string, client: PoolClient): Promise<void> {
		if (this.scope === 'call') return; // no process lives long enough to report an update
		this.#isStopped = false;
		this.#assertOpen();
		const process = this.scope === 'shared' ? this.#shared : this.#ofSession(client);
		await this.watchersOf(process.sessionId).add(uri, (own) => process.watch(own));
	}

	/** End a subscription. */
	unsubscribe(uri: string, { sessionId }: PoolClient): void {
		const isShared = this.scope === 'shared';
		const watchers = this.#watchers.get(isShared ? undefined : sessionId);
		const own = watchers?.remove(uri);
		const connection = (isShared ? this.#shared : this.#sessions.get(sessionId))?.connection;
		if (own !== undefined && connection) watchers?.unsubscribe(own, connection);
	}

	/** The watched resources of the process of a session, or of the one for all clients. */
	watchersOf(sessionId: string | undefined): ResourceWatchers {
		const { entry, log } = this.#deps;
		const watchers = this.#watchers.get(sessionId) ?? new ResourceWatchers(entry.name, log);
		this.#watchers.set(sessionId, watchers);
		return watchers;
	}

	/** Stop the process of a session that has ended. */
	endSession(id: string): void {
		const process = this.#sessions.get(id);
		this.#sessions.delete(id);
		this.#watchers.delete(id);
		if (process === undefined) return;
		this.#perCall.add(process);
		this.release(process);
	}

	/** Start or stop on behalf of the user. The last request counts: a restart that has not started it yet gives way. */
	async control(action: ProcessAction): Promise<void> {
		const request = ++this.#requests;
		if (action !== 'start') {
			this.#deps.serverLog.event('stopped: by a user');
			await this.#stop();
		}
		if (action === 'stop') return;
		if (request !== this.#requests)
			throw new OrchestraError('canceled', `a later request stopped or started ${this.#deps.entry.name}`);
		await this.#start();
	}

	/** Stop every process now; calls in flight fail. The next call starts a new one, without the delay of a crash. */
	async #stop(): Promise<void> {
		const stopped = this.all;
		this.#sessions.clear();
		this.#perCall.clear();
		this.#callPolicy = restartPolicy(this.#deps);
		this.#shared = this.#makeShared();
		this.#isStopped = true;
		this.#stopping = Promise.all([this.#stopping, ...stopped.map((process) => process.close())]);
		await this.#stopping;
	}

	/** Start the process for all clients, without the delay of a crash. */
	async #start(): Promise<void> {
		if (this.#shared.supervisor.lastError !== undefined) await this.#stop();
		this.#isStopped = false;
		await this.#shared.supervisor.up();
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		await Promise.all([this.#stopping, ...this.all.map((process) => process.close())]);
	}

	#assertOpen(): void {
		if (this.#isClosed) throw new OrchestraError('closed', `${this.#deps.entry.name} was removed`);
	}

	/** Whether clients share the process for all, now. */
	get #isShared(): boolean {
		const { connection, calls } = this.#shared;
		const isUsed = connection !== undefined || calls.size > 0;
		return this.#currentScope === 'shared' && (isUsed || !this.watchersOf(undefined).isEmpty);
	}

	#makeShared(): ServerProcess {
		const isPerCall = this.#deps.entry.settings.scope === 'call';
		return new ServerProcess(this.#deps, {
			policy: isPerCall ? this.#callPolicy : restartPolicy(this.#deps),
			identity: () => ({ clientInfo: this.#clientInfo, capabilities: listingCapabilities(this.scope) }),
			watchers: this.watchersOf(undefined),
		});
	}

	#ofSession(client: PoolClient): ServerProcess {
		const { sessionId } = client;
		const found = this.#sessions.get(sessionId);
		if (found) return found;
		if (this.#sessions.size >= POOL_SESSIONS_LIMIT) {
			throw new OrchestraError(
				'closed',
				`the MCP server ${this.#deps.entry.name} has processes for ${POOL_SESSIONS_LIMIT} sessions; this call was refused`,
				{ hint: 'Close sessions that are not used, or set scope of the server to "shared".' },
			);
		}
		const watchers = this.watchersOf(sessionId);
		const process = this.#make(client, { policy: restartPolicy(this.#deps), sessionId, watchers });
		this.#sessions.set(sessionId, process);
		return process;
	}

	#ofCall(context: CallContext): ServerProcess {
		const process = this.#make(poolClient(context), { policy: this.#callPolicy, isSingleUse: true });
		this.#perCall.add(process);
		return process;
	}

	/**
	 * A process for one client declares what this client can do. A modern client declares it with each request, so its
	 * process may ask everything; a client request that the client of the call cannot answer gets an error.
	 */
	#make(
		{ clientInfo, capabilities, revision }: PoolClient,
		options: Omit<ServerProcessOptions, 'identity'>,
	): ServerProcess {
		const identity = (): ReturnType<ServerProcessOptions['identity']> => ({
			clientInfo: isImplementation(clientInfo) ? clientInfo : this.#clientInfo,
			capabilities:
				revision.era === 'modern' ? allCapabilities : this.#deps.extensions.forwarded(capabilities),
		});
		return new ServerProcess(this.#deps, { ...options, identity });
	}
}

function restartPolicy({ now }: Pick<ServerDeps, 'now'>): RestartPolicy {
	return new RestartPolicy({ failedMs: POOL_FAILED_MS, clock: now && { now } });
}

function poolClient(context: CallContext): PoolClient {
	const { sessionId, clientInfo, clientCapabilities: capabilities, revision } = context;
	return { sessionId, clientInfo, capabilities, revision };
}

function isImplementation(value: unknown): value is Implementation {
	return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
