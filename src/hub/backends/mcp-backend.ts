/*
 * An MCP server as a backend. Its lists are answered from what is known of it, with no
 * process started; a call starts the server.
 *
 * The parts are in `mcp/`: the catalogue, the processes by scope, the calls, and the
 * questions of the server to its client.
 */
import type { ServerEntry } from '../../config/configuration.ts';
import type { OrchestraError } from '../../errors.ts';
import { failure } from '../../mcp/define/defined-results.ts';
import type { CallContext, ClientConnection } from '../../mcp/server/call-context.ts';
import { after } from '../../mcp/server/methods.ts';
import type {
	CallToolParams,
	Change,
	CompleteParams,
	GetPromptParams,
	RootsClient,
} from '../../mcp/server/provider.ts';
import type {
	Awaitable,
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	InputRequired,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	Tool,
} from '../../protocol/mcp-types.ts';
import { ownUri } from '../names.ts';
import type {
	Backend,
	BackendCounts,
	OwnedProcess,
	ProcessAction,
	ServerLines,
	ServerStatus,
} from './backend.ts';
import { CallQueue } from './mcp/call-queue.ts';
import { hasScheme, knownEraOf, knownFileOf } from './mcp/known-server.ts';
import { LogLevels } from './mcp/log-levels.ts';
import type { McpBackendOptions } from './mcp/mcp-backend-options.ts';
import { ServerCalls } from './mcp/server-calls.ts';
import { ServerCatalogue } from './mcp/server-catalogue.ts';
import { firstLine } from './mcp/server-failure.ts';
import { serverLogPath } from './mcp/server-files.ts';
import { ServerLog } from './mcp/server-log.ts';
import type { ServerParts } from './mcp/server-parts.ts';
import { openServerPins, type ServerPins } from './mcp/server-pins.ts';
import { ServerPool } from './mcp/server-pool.ts';
import type { ServerProcess } from './mcp/server-process.ts';
import { ServerQuestions } from './mcp/server-questions.ts';
import { ServerRoots } from './mcp/server-roots.ts';
import { lastErrorOf, processesOf, stateOf, statusOf } from './mcp/server-status.ts';
import { reviewedItems, ServerTools } from './mcp/server-tools.ts';
import { StartCounts } from './start-counts.ts';

/** Longest message of a server, in bytes, unless `limits.messageBytes` is larger. */
const SERVER_MESSAGE_BYTES: number = 64 * 1024 * 1024;

export class McpBackend implements Backend {
	readonly id: string;
	readonly kind = 'mcp';
	readonly qualifiesNames: boolean;
	readonly #entry: ServerEntry;
	readonly #tools: ServerTools;
	readonly #pins: ServerPins;
	readonly #queue: CallQueue;
	readonly #pool: ServerPool;
	readonly #catalogue: ServerCatalogue;
	readonly #calls: ServerCalls;
	readonly #questions: ServerQuestions;
	readonly #serverLog: ServerLog;
	readonly #starts = new StartCounts();
	readonly #roots: ServerRoots;
	readonly #levels: LogLevels;
	readonly #listeners = new Set<(change: Change) => void>();

	constructor(options: McpBackendOptions) {
		const { entry, folder, version, log } = options;
		const { name, settings } = entry;
		this.#entry = entry;
		this.id = name;
		this.qualifiesNames = settings.prefix;
		this.#pins = openServerPins(options, () => this.#emit({ kind: 'tools' }));
		this.#queue = new CallQueue({ server: name, ...settings });
		this.#questions = new ServerQuestions(name, log);
		this.#roots = new ServerRoots(this.#questions, options.clients, log);
		this.#levels = new LogLevels(options.clients);
		this.#serverLog = new ServerLog(serverLogPath(folder, name), log);
		this.#pool = new ServerPool(this.#partsOf(options), { name: 'orchestra', version });
		this.#catalogue = new ServerCatalogue({
			file: knownFileOf(folder, entry, version),
			lister: () => this.#pool.lister,
			running: () => this.#pool.running,
			timeoutMs: settings.timeoutMs,
			maxMs: settings.maxMs,
			restart: settings.restart,
			keepsLister: settings.scope === 'shared',
			log,
			onRead: (known, source) => this.#pins.read(reviewedItems(known), source),
			onChange: (change) => this.#emit(change),
		});
		this.#tools = new ServerTools(entry, this.#catalogue, this.#pins, log);
		this.#calls = new ServerCalls({
			...settings,
			server: name,
			pool: this.#pool,
			queue: this.#queue,
			questions: this.#questions,
			levels: this.#levels,
			check: this.#tools.check,
		});
	}

	get state(): string {
		const { lastError } = this.#pool.lister;
		const state = stateOf(this.#pool, this.#catalogue.known);
		return lastError ? `${state}: ${firstLine(lastError.message)}` : state;
	}

	get lastError(): OrchestraError | undefined {
		return lastErrorOf(this.#pool);
	}

	/** Only for a server that was never seen: the tools of others stay listed, and calls give the reason. */
	get downReason(): string | undefined {
		return this.#catalogue.known === undefined ? this.#pool.lister.lastError?.message : undefined;
	}

	/** A call to a server that was never seen starts it, or fails with the reason; one of a tool that is held back too. */
	hasDownTool(name: string): boolean {
		return this.#tools.heldReason(name) !== undefined || this.#tools.mayHave(name);
	}

	readonly instructions = (): string | undefined => this.#tools.instructions;

	listTools(): Awaitable<readonly Tool[]> {
		return after(this.#catalogue.lists(), ({ tools }) => this.#tools.listed(tools));
	}

	callTool(
		{ name, arguments: input }: CallToolParams,
		context: CallContext,
	): Promise<CallToolResult | InputRequired> {
		const held = this.#tools.heldReason(name);
		if (held !== undefined) return Promise.resolve(failure(held));
		const own = this.#tools.ownName(name);
		const isGiven = 'arguments' in context.params || Object.keys(input).length === 0;
		const changes = isGiven ? { name: own } : { name: own, arguments: input };
		const mayRepeat = (): boolean => this.#tools.isRepeatable(own);
		const result = this.#calls.forward({ method: 'tools/call', context, changes, mayRepeat });
		// The result of the server, unchecked: clients check it themselves.
		return result as Promise<CallToolResult | InputRequired>;
	}

	listPrompts(): Awaitable<readonly Prompt[]> {
		return after(this.#catalogue.lists(), ({ prompts }) => prompts);
	}

	getPrompt({ name }: GetPromptParams, context: CallContext): Promise<GetPromptResult | InputRequired> {
		return this.#read('prompts/get', context, { name }) as Promise<GetPromptResult | InputRequired>;
	}

	listResources(): Awaitable<readonly Resource[]> {
		return after(this.#catalogue.lists(), ({ resources }) => resources);
	}

	listResourceTemplates(): Awaitable<readonly ResourceTemplate[]> {
		return after(this.#catalogue.lists(), ({ templates }) => templates);
	}

	readResource(uri: string, context: CallContext): Promise<ReadResourceResult | InputRequired> {
		const own = ownUri(this.id, uri);
		return this.#read('resources/read', context, { uri: own }) as Promise<ReadResourceResult | InputRequired>;
	}

	readonly ownsUri = (uri: string): boolean => ownUri(this.id, uri) !== uri;

	complete({ ref }: CompleteParams, context: CallContext): Promise<CompleteResult> {
		const own = ref.uri === undefined ? ref : { ...ref, uri: ownUri(this.id, ref.uri) };
		return this.#read('completion/complete', context, {
			ref: own,
		}) as Promise<unknown> as Promise<CompleteResult>;
	}

	/** True when its resources have the scheme of this URI. */
	readonly claimsUri = (uri: string): boolean => hasScheme(this.#catalogue.known, uri);

	async subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		if (isSubscribed) await this.#pool.subscribe(uri, client);
		else this.#pool.unsubscribe(uri, client);
	}

	readonly rootsChanged = (client: RootsClient): void => this.#roots.changed(client, this.#pool.all);

	logLevelChanged(): void {
		for (const process of this.#pool.all) this.#levels.update(process);
	}

	readonly listAnswered = (): void => this.#catalogue.answered();

	endSession(sessionId: string): void {
		this.#roots.endSession(sessionId, this.#pool.all);
		this.#pool.endSession(sessionId);
		this.logLevelChanged();
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	warm(): void {
		this.#pins.warm();
		this.#catalogue.warm();
		if (this.#entry.settings.eager) this.#pool.lister.keepUp();
	}

	processes(): readonly OwnedProcess[] {
		return processesOf(this.#pool, this.#entry);
	}

	serverStatus(): ServerStatus {
		return statusOf({
			name: this.id,
			pool: this.#pool,
			known: this.#catalogue.known,
			tools: this.#catalogue.known && this.#tools.listed(this.#catalogue.known.tools).length,
			drifted: this.#pins?.driftCount ?? 0,
			calls: this.#queue.size,
			restart: this.#entry.settings.restart,
			log: this.#serverLog,
		});
	}

	counts(): BackendCounts {
		return { queued: this.#queue.waitingCount, ...this.#starts.all };
	}

	readonly lines = (): ServerLines => this.#serverLog.lines;

	readonly control = (action: ProcessAction): Promise<void> => this.#pool.control(action);

	async retire(): Promise<void> {
		this.#listeners.clear();
		await this.#queue.idle();
		await this.close();
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await Promise.all([this.#catalogue.close(), this.#pool.close()]);
		await this.#pins.close();
		await this.#serverLog.close();
	}

	#partsOf({ entry, environment, messageBytes = 0, limiter, log, now }: McpBackendOptions): ServerParts {
		return {
			entry,
			environment,
			limitBytes: Math.max(messageBytes, SERVER_MESSAGE_BYTES),
			limiter,
			log,
			serverLog: this.#serverLog,
			starts: this.#starts,
			now,
			knownEra: () => knownEraOf(this.#catalogue.known),
			isKnown: () => this.#catalogue.known !== undefined,
			onReady: (process, connection) => {
				this.#levels.update(process);
				if (process === this.#pool.lister) this.#catalogue.started(connection);
			},
			onChange: (process, change) => this.#onServerChange(process, change),
			onRequest: (process, method, params, signal) => this.#roots.answer(process, method, params, signal),
			onNotification: (process, method, params) => {
				const log = this.#questions.notified(process, method, params);
				if (log) this.#emit(log);
			},
		};
	}

	#onServerChange({ connection, sessionId }: ServerProcess, change: Change): void {
		if (change.kind === 'resource') {
			for (const uri of this.#pool.watchersOf(sessionId).givenFor(change.uri))
				this.#emit({ ...change, uri, sessionId });
		} else if (connection && change.kind !== 'log') this.#catalogue.changed(connection, change.kind);
	}

	#emit(change: Change): void {
		for (const listener of this.#listeners) listener(change);
	}

	/** A request that has no effect. */
	#read(method: string, context: CallContext, changes: Readonly<Record<string, unknown>>): Promise<object> {
		return this.#calls.forward({ method, context, changes, mayRepeat: () => true });
	}
}
