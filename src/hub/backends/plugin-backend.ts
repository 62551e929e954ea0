/*
 * A supervised plugin process as a backend. Its tools and prompts are known after its
 * first start.
 *
 * A call that was in flight when the plugin died is not repeated; its error says that
 * the outcome is unknown.
 */
import type { PluginEntry } from '../../config/configuration.ts';
import type { OrchestraError } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams, Change, GetPromptParams } from '../../mcp/server/provider.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
import { CALL_TIMEOUT_MS, type CallOptions } from '../../plugin/client/unary-calls.ts';
import type { RequestInit, ResponseKind, ResponseValue } from '../../plugin/codec.ts';
import { argumentsIn, exactBytes } from '../../plugin/exact-json.ts';
import { EXACT_JSON } from '../../plugin/features.ts';
import type { ToolRequest, ToolResponse } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { promptResultOf, toolResultOf } from '../../plugin/mcp-translation.ts';
import type { Child } from '../../process/child.ts';
import { explainExit } from '../../process/diagnosis.ts';
import { commandLine } from '../../process/spawn-record.ts';
import type { CallToolResult, GetPromptResult, Prompt, Tool } from '../../protocol/mcp-types.ts';
import type { JsonObject } from '../../wire/json.ts';
import type { Backend, BackendCounts, OwnedProcess, ProcessAction, ServerLines } from './backend.ts';
import { KeptLines } from './kept-lines.ts';
import { PluginCapabilities, type ProvidedTypes } from './plugin-capabilities.ts';
import { callError, exitOf } from './plugin-exit.ts';
import { joinStream } from './plugin-stream.ts';
import { checkPlugin, type PluginStart, startPlugin } from './start-plugin.ts';
import { Supervisor } from './supervisor.ts';
import { UseCount } from './use-count.ts';

/** The caller id of calls by MCP clients. */
const CALLER = 'transport.stdio';

export interface PluginBackendOptions extends PluginStart {
	readonly settings: PluginSettings;
}

/** Settings that may change while the plugin runs. */
export interface PluginSettings {
	/** Must be up before this one starts. */
	readonly dependencies?: readonly PluginBackend[];
	/** How long a call may take, in milliseconds. */
	readonly requestMs?: number | undefined;
	/** Idle time after which the process is stopped, in milliseconds. Default: never. */
	readonly idleMs?: number | undefined;
}

export class PluginBackend implements Backend {
	readonly id: string;
	readonly kind = 'plugin';
	readonly qualifiesNames = false;
	readonly entry: PluginEntry;
	settings: PluginSettings;
	readonly #options: PluginBackendOptions;
	readonly #supervisor: Supervisor<PluginProcess>;
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #lines = new KeptLines();
	#startedAt = new Date(0);
	#starting: Child | undefined;
	readonly #capabilities = new PluginCapabilities();
	readonly #uses = new UseCount();
	#lastStream = 0;

	constructor(options: PluginBackendOptions) {
		this.#options = options;
		this.entry = options.entry;
		this.settings = options.settings;
		this.id = options.entry.id;
		this.#supervisor = new Supervisor<PluginProcess>(
			{
				name: `the plugin ${this.id}`,
				start: (signal) => this.#start(signal),
				ended: (running) => this.#ended(running),
				stop: (running) => running.stop(),
				onChange: () => this.#notifyChange(),
				onNote: (text) => this.#lines.keep('hub', text),
				check: checkPlugin,
				isIdle: () => this.#uses.idleMs >= (this.settings.idleMs ?? Number.POSITIVE_INFINITY),
				isBusy: () => this.#uses.isUsed,
			},
			options.log,
		);
	}

	get state(): string {
		return this.#supervisor.state;
	}

	get downReason(): string | undefined {
		return this.#supervisor.downReason;
	}

	get lastError(): OrchestraError | undefined {
		return this.#supervisor.lastError;
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

	/** The plugin registered with this manifest; only the fields for routing are kept. */
	registered(manifest: ProvidedTypes): void {
		this.#capabilities.setProvided(manifest);
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
		this.#uses.begin();
		try {
			running ??= await this.up();
			return await work(running);
		} catch (thrown) {
			throw running === undefined ? thrown : await callError(this.id, thrown, running.child);
		} finally {
			this.#uses.end();
		}
	}

	/** The same for a call, whose time of the start is measured. */
	#useFor<T>(context: CallContext, work: (running: PluginProcess) => Promise<T>): Promise<T> {
		if (this.#supervisor.running !== undefined) return this.use(work);
		const leave = context.enter('start');
		this.up().then(leave, leave);
		return this.use(work);
	}

	async listTools(): Promise<readonly Tool[]> {
		return (await this.#lists()).tools;
	}

	async listPrompts(): Promise<readonly Prompt[]> {
		return (await this.#lists()).prompts;
	}

	/** True when it is up and offers this tool. */
	lists(toolName: string): boolean {
		return !this.#supervisor.isDown && this.#capabilities.hasTool(toolName);
	}

	hasDownTool(toolName: string): boolean {
		return this.#supervisor.isDown && this.#capabilities.hasTool(toolName);
	}

	counts(): BackendCounts {
		return { queued: 0, ...this.#supervisor.counts.all };
	}

	async callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
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

	async getPrompt(
		{ name, arguments: input }: GetPromptParams,
		context: CallContext,
	): Promise<GetPromptResult> {
		const value = { promptName: name, arguments: input };
		return promptResultOf(
			await this.ask({ case: 'promptGet', value }, 'promptGet', { signal: context.signal }),
		);
	}

	/** Forward a tool request unchanged. */
	forwardTool(request: ToolRequest, signal: AbortSignal): Promise<ToolResponse> {
		return this.ask({ case: 'toolCall', value: request }, 'toolCall', { signal });
	}

	/** Send any request of the protocol; the response must be of this kind. */
	async ask<K extends ResponseKind>(
		request: NonNullable<RequestInit['request']>,
		kind: K,
		options: CallOptions = {},
	): Promise<ResponseValue<K>> {
		const timeoutMs = options.timeoutMs ?? this.settings.requestMs;
		return this.use(({ client }) => client.ask(request, kind, { ...options, timeoutMs }));
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	processes(): readonly OwnedProcess[] {
		const child = this.#supervisor.running?.child ?? this.#starting;
		if (child === undefined) return [];
		const { pid, record } = child;
		return [
			{ backend: this.id, pid, command: commandLine(record), startedAt: this.#startedAt, state: this.state },
		];
	}

	async control(action: ProcessAction): Promise<void> {
		if (action !== 'start') await this.#supervisor.stop();
		if (action !== 'stop') await this.#supervisor.startNow();
	}

	/** An idle plugin is closed before another process takes its place. */
	get retire(): (() => Promise<void>) | undefined {
		return this.#uses.isUsed ? () => this.#drain() : undefined;
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await this.#supervisor.close();
	}

	async #start(signal: AbortSignal): Promise<PluginProcess> {
		const { dependencies = [] } = this.settings;
		const running = await startPlugin(this.#options, {
			ready: () => Promise.all(dependencies.map((dependency) => dependency.up())),
			onStarted: (child) => {
				this.#starting = child;
				this.#startedAt = new Date();
			},
			onLine: (line) => void this.#lines.keep('stderr', line),
			signal,
		}).finally(() => {
			this.#starting = undefined;
		});
		this.#lines.keep('hub', `started: pid ${running.child.pid}`);
		this.#capabilities.setLists(running);
		this.#uses.touch();
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
		await this.#uses.free(this.settings.requestMs ?? CALL_TIMEOUT_MS);
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
		for (const change of this.#capabilities.changes(this.#supervisor.isDown))
			for (const listener of this.#listeners) listener(change);
	}
}
