/*
 * A supervised plugin process as a source. Its tools and prompts are known after its
 * first start.
 *
 * A call that was in flight when the plugin died is not repeated; its error says that
 * the outcome is unknown.
 */
import type { PluginEntry } from '../../config/configuration.ts';
import { CALL_TIMEOUT_MS } from '../../config/defaults.ts';
import { OrchestraError, withOutcome } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { answerBy, type CallAnswers } from '../../mcp/server/methods.ts';
import type { Call, CallToolParams, Capability, Change, GetPromptParams } from '../../mcp/server/provider.ts';
import type { PluginClient } from '../../plugin/client/plugin-client.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
import type { CallOptions } from '../../plugin/client/unary-calls.ts';
import type { RequestInit, ResponseKind, ResponseValue } from '../../plugin/codec.ts';
import { argumentsIn, exactBytes } from '../../plugin/exact-json.ts';
import { EXACT_JSON } from '../../plugin/features.ts';
import type { ToolRequest, ToolResponse } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { promptResultOf, toolResultOf } from '../../plugin/mcp-translation.ts';
import type { Child } from '../../process/child.ts';
import { explainExit } from '../../process/diagnosis.ts';
import { commandLine } from '../../process/spawn-record.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import type { Awaitable, CallToolResult, GetPromptResult, Result } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { RestartPolicy } from '../../rpc/restart-policy.ts';
import { Semaphore } from '../../rpc/semaphore.ts';
import { type Ending, Supervisor } from '../../rpc/supervisor.ts';
import { entryKey } from '../../secrets/secret-text.ts';
import type { JsonObject } from '../../wire/json.ts';
import type { Can, ProcessAction, ServerLines, Source } from '../source.ts';
import { type OwnedProcess, type SourceState, type SourceStatus, stateOf } from '../source-status.ts';
import { PluginCapabilities, type ProvidedTypes } from './plugin-capabilities.ts';
import { callError, exitOf } from './plugin-exit.ts';
import { joinStream } from './plugin-stream.ts';
import { SourceLog } from './source-log.ts';
import { checkPlugin, type PluginStart, startPlugin } from './start-plugin.ts';

/** The caller id of calls by MCP clients. */
const CALLER = 'transport.stdio';

export interface PluginSourceOptions extends PluginStart {
	readonly settings: PluginSettings;
}

type PluginRequestInit = NonNullable<RequestInit['request']>;
type AskedKind = ResponseKind & PluginRequestInit['case'];

/** Settings that may change while the plugin runs. */
export interface PluginSettings {
	/** Must be up before this one starts. */
	readonly dependencies?: readonly PluginSource[];
	/** How long a call may take, in milliseconds. */
	readonly requestMs?: number | undefined;
	/** Idle time after which the process is stopped, in milliseconds. Default: never. */
	readonly idleMs?: number | undefined;
}

export class PluginSource
	implements
		Source,
		Can<'qualifiesNames' | 'hasDownTool' | 'warm' | 'processes' | 'control' | 'retire' | 'configurationKey'>
{
	readonly id: string;
	readonly kind = 'plugin';
	readonly capabilities: readonly Capability[] = ['tools', 'prompts'];
	readonly entry: PluginEntry;
	readonly configurationKey: string;
	settings: PluginSettings;
	readonly #options: PluginSourceOptions;
	readonly #supervisor: Supervisor<PluginProcess>;
	readonly #listeners = new Listeners<Change>();
	readonly #lines = new SourceLog();
	#startedAt = new Date(0);
	#starting: Child | undefined;
	readonly #capabilities = new PluginCapabilities();
	readonly #uses = new Semaphore({ limit: Number.POSITIVE_INFINITY });
	#lastStream = 0;
	readonly #answers: CallAnswers = {
		'tools/call': (params, context) => this.#callTool(params, context),
		'prompts/get': (params, context) => this.#getPrompt(params, context),
	};

	constructor(options: PluginSourceOptions) {
		this.#options = options;
		this.entry = options.entry;
		this.configurationKey = entryKey(options.entry);
		this.settings = options.settings;
		this.id = options.entry.id;
		this.#supervisor = new Supervisor<PluginProcess>(
			{
				name: `the plugin ${this.id}`,
				start: (signal, onEnd) => this.#start(signal, onEnd),
				stop: (running) => running.stop(),
				onStarted: () => this.#notifyChange(),
				onDown: ({ error }, isStart) => {
					options.log.warn(error.message);
					this.#lines.add('hub', `${isStart ? 'did not start' : 'ended'}: ${error.message}`);
					this.#notifyChange();
				},
				onStopped: (reason) => {
					this.#lines.add('hub', `stopped: ${reason}`);
					this.#notifyChange();
				},
				check: checkPlugin,
				isNeeded: () => true,
				isUsed: () => this.#uses.size > 0,
				idleMs: () => this.settings.idleMs ?? 0,
			},
			{ policy: new RestartPolicy(), log: options.log },
		);
	}

	get status(): SourceStatus {
		const supervisor = this.#supervisor;
		const { lastError: error, isDown } = supervisor;
		const { lists } = this.#capabilities;
		const process = this.#child;
		return {
			state: stateOf([this.#state], lists !== undefined, isDown),
			error,
			isListed: lists !== undefined && !isDown,
			nextTryAt: isDown ? new Date(Date.now() + supervisor.delayMs) : undefined,
			calls: this.#uses.size,
			...supervisor.counts,
			pid: process?.pid,
			startedAt: process && this.#startedAt,
			processes: process ? 1 : 0,
			tools: isDown ? 0 : lists?.tools.length,
		};
	}

	get #state(): SourceState {
		const { running, isStarting, isDown, lastError } = this.#supervisor;
		if (running) return lastError ? 'unhealthy' : this.#uses.size > 0 ? 'ready' : 'idle';
		if (isStarting) return 'starting';
		return isDown ? 'failed' : this.#capabilities.lists ? 'stopped' : 'known';
	}

	/** The process that runs or starts. */
	get #child(): Child | undefined {
		return this.#supervisor.running?.child ?? this.#starting;
	}

	readonly lines = (): ServerLines => this.#lines;

	/** The storage types that it provides, from the configuration or its registration. */
	get providesStorage(): readonly string[] {
		return [...this.entry.providesStorage, ...this.#capabilities.provided.providesStorage];
	}

	/** The AI providers that it serves, from the configuration or its registration. */
	get providesAi(): readonly string[] {
		return [...this.entry.providesAi, ...this.#capabilities.provided.providesAi];
	}

	/** The topics of events that it declared at its registration. */
	get needsEvents(): readonly string[] {
		return this.#capabilities.provided.needsEvents;
	}

	/** The client of the running process; undefined while there is none. Starts nothing. */
	get client(): PluginClient | undefined {
		return this.#supervisor.running?.client;
	}

	/** True for a bridge to AI providers. A call reaches it only by its provider or its own name. */
	get isAi(): boolean {
		return this.providesAi.length > 0;
	}

	get qualifiesNames(): boolean {
		return this.isAi;
	}

	/** The plugin registered with this manifest; only the fields for routing are stored. */
	registered(manifest: ProvidedTypes): void {
		const wasAi = this.isAi;
		this.#capabilities.setProvided(manifest);
		if (wasAi === this.isAi) return;
		for (const kind of ['tools', 'prompts'] as const) this.#listeners.emit({ kind });
	}

	warm(): void {
		// After its first start the supervisor restarts it, or the next call does when it was stopped as idle.
		if (this.#capabilities.lists) return;
		// A failed start is logged and retried.
		this.up().catch(() => {});
	}

	/** The running plugin; starts it if necessary. */
	up(): Promise<PluginProcess> {
		return this.#supervisor.up();
	}

	/** Use the running plugin; it is not stopped as idle meanwhile. */
	async use<T>(work: (running: PluginProcess) => Promise<T>): Promise<T> {
		let { running } = this.#supervisor;
		this.#uses.tryEnter(undefined);
		try {
			running ??= await this.up();
			const result = await work(running);
			this.#supervisor.answered(true);
			return result;
		} catch (thrown) {
			throw running === undefined
				? withOutcome(thrown, 'not_run')
				: await callError(this.id, thrown, running.child);
		} finally {
			this.#uses.leave();
		}
	}

	/** The same for a call, whose time of the start is measured. */
	#useFor<T>(context: CallContext, work: (running: PluginProcess) => Promise<T>): Promise<T> {
		if (this.#supervisor.running !== undefined) return this.use(work);
		const leave = context.enter('start');
		this.up().then(leave, leave);
		return this.use(work);
	}

	async list(kind: ItemKind): Promise<readonly Item[]> {
		const known = await this.#lists();
		return kind === 'tools' ? known.tools : known.prompts;
	}

	request(call: Call): Awaitable<Result> {
		return answerBy(this.#answers, call);
	}

	/** True when it is up and has this tool. */
	lists(toolName: string): boolean {
		return !this.#supervisor.isDown && this.#capabilities.hasTool(toolName);
	}

	hasDownTool(toolName: string): boolean {
		return this.#supervisor.isDown && this.#capabilities.hasTool(toolName);
	}

	async #callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		// It came from a JSON message.
		const exact = argumentsIn(context.text, input as JsonObject);
		const request = { toolName: name, arguments: exact.value, callerPlugin: CALLER };
		const { sessionId } = context;
		const response = await this.#useFor(context, ({ client }) => {
			const traceparent = context.tracer?.sent() ?? context.meta['traceparent'];
			const traceParent = typeof traceparent === 'string' ? traceparent : '';
			const argumentsJson = exactBytes(exact, client.features.has(EXACT_JSON));
			const value = { ...request, sessionId, argumentsJson, traceParent };
			const options = { work: context, timeoutMs: this.settings.requestMs };
			return client.ask({ case: 'toolCall', value }, 'toolCall', options);
		});
		if (response.errorCode === 'tool_not_found' && !response.success)
			return this.#collect(request, context, response);
		return toolResultOf(response);
	}

	async #getPrompt(
		{ name, arguments: input }: GetPromptParams,
		context: CallContext,
	): Promise<GetPromptResult> {
		const value = { promptName: name, arguments: input };
		return promptResultOf(await this.ask('promptGet', value, { signal: context.signal }));
	}

	/** Forward a tool request unchanged. */
	forwardTool(request: ToolRequest, signal: AbortSignal): Promise<ToolResponse> {
		return this.ask('toolCall', request, { signal });
	}

	/** Send any request of the protocol; the response must be of the same kind. */
	ask<K extends AskedKind>(
		kind: K,
		value: Extract<PluginRequestInit, { case: K }>['value'],
		options: CallOptions = {},
	): Promise<ResponseValue<K>> {
		const timeoutMs = options.timeoutMs ?? this.settings.requestMs;
		// The value is that of its kind.
		const request = { case: kind, value } as PluginRequestInit;
		return this.use(({ client }) => client.ask(request, kind, { ...options, timeoutMs }));
	}

	readonly watch: Listeners<Change>['add'] = this.#listeners.add;

	processes(): readonly OwnedProcess[] {
		const child = this.#child;
		if (child === undefined) return [];
		const { pid, record } = child;
		return [
			{ backend: this.id, pid, command: commandLine(record), startedAt: this.#startedAt, state: this.#state },
		];
	}

	async control(action: ProcessAction): Promise<void> {
		if (action !== 'start') await this.#supervisor.stop();
		if (action !== 'stop') await this.#supervisor.startNow();
	}

	/** An idle plugin is closed before another process takes its place. */
	get retire(): (() => Promise<void>) | undefined {
		return this.#uses.size > 0 ? () => this.#drain() : undefined;
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await this.#supervisor.close();
	}

	async #start(signal: AbortSignal, onEnd: (ending: Ending) => void): Promise<PluginProcess> {
		const { dependencies = [] } = this.settings;
		await Promise.all(dependencies.map((dependency) => dependency.up()));
		const running = await startPlugin(this.#options, {
			onStarted: (child) => {
				this.#starting = child;
				this.#startedAt = new Date();
			},
			onLine: (line) => void this.#lines.add('stderr', line),
			signal,
		}).finally(() => {
			this.#starting = undefined;
		});
		this.#lines.add('hub', `started: pid ${running.child.pid}`);
		this.#capabilities.setLists(running);
		void this.#ended(running).then((reason) =>
			onEnd({ error: new OrchestraError('closed', `the plugin ${this.id} ended: ${reason}`) }),
		);
		return running;
	}

	/** Its lists; empty while it is down. Waits for the first start. */
	async #lists(): Promise<NonNullable<PluginCapabilities['lists']>> {
		if (!this.#supervisor.isDown && this.#capabilities.lists === undefined) await this.up();
		return (this.#supervisor.isDown ? undefined : this.#capabilities.lists) ?? { tools: [], prompts: [] };
	}

	/** Calls have a deadline; a stream, which may have none, gets as long as a call. */
	async #drain(): Promise<void> {
		this.#listeners.clear();
		await within(this.#uses.idle(), this.settings.requestMs ?? CALL_TIMEOUT_MS, false);
		await this.close();
	}

	async #ended({ child, client }: PluginProcess): Promise<string> {
		await Promise.race([child.exited, client.closed]);
		return (await exitOf(child)) ?? explainExit(child.diagnose());
	}

	/** Call a streaming tool: each chunk is sent as progress, and the joined chunks are the result. */
	async #collect(
		request: { toolName: string; arguments: JsonObject; callerPlugin: string },
		context: CallContext,
		notFound: ToolResponse,
	): Promise<CallToolResult> {
		this.#lastStream++;
		const value = { streamId: `${this.id}-${this.#lastStream}`, ...request };
		return this.use(({ client }) => {
			const sent = { request: { case: 'streamStart', value } } as const;
			return joinStream(client.sendStream(sent, { signal: context.signal }), context, notFound);
		});
	}

	/** Emits a change only when the lists differ, not when the plugin restarts with the same ones. */
	#notifyChange(): void {
		for (const change of this.#capabilities.changes(this.#supervisor.isDown)) this.#listeners.emit(change);
	}
}
