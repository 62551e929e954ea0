/*
 * A plugin process as a backend: supervised, called over its link, its tools and
 * prompts known once it is up.
 *
 * A call that was under way when the plugin died is not repeated; its error says
 * that the outcome is unknown.
 */

import type { PluginEntry } from '../../config/configuration.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams, Change, GetPromptParams } from '../../mcp/server/provider.ts';
import type { CallOptions } from '../../plugin/client/pending-calls.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
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
import type { Backend, OwnedProcess } from './backend.ts';
import { exitOf, explainEnd } from './plugin-end.ts';
import { PluginOffer, type Provided } from './plugin-offer.ts';
import { joinStream } from './plugin-stream.ts';
import { checkPlugin, type PluginStart, startPlugin } from './start-plugin.ts';
import { Supervisor } from './supervisor.ts';

/** Who calls, when a client of the hub does. */
const CALLER = 'transport.stdio';

export interface PluginBackendOptions extends PluginStart {
	readonly terms: PluginTerms;
}

/** What may change while the plugin runs. */
export interface PluginTerms {
	/** Must be up before this one starts. */
	readonly dependencies?: readonly PluginBackend[];
	/** How long a call may take, in milliseconds. */
	readonly requestMs?: number | undefined;
	/** How long nobody calls it before it rests, in milliseconds. Default: it never does. */
	readonly idleMs?: number | undefined;
}

export class PluginBackend implements Backend {
	readonly id: string;
	readonly kind = 'plugin';
	readonly qualifiesNames = false;
	readonly entry: PluginEntry;
	terms: PluginTerms;
	readonly #options: PluginBackendOptions;
	readonly #supervisor: Supervisor<PluginProcess>;
	readonly #listeners = new Set<(change: Change) => void>();
	#startedAt = new Date(0);
	#starting: Child | undefined;
	readonly #offer = new PluginOffer();
	#calls = 0;
	#lastUsed = performance.now();
	#lastStream = 0;

	constructor(options: PluginBackendOptions) {
		this.#options = options;
		this.entry = options.entry;
		this.terms = options.terms;
		this.id = options.entry.id;
		this.#supervisor = new Supervisor<PluginProcess>(
			{
				name: `the plugin ${this.id}`,
				start: (signal) => this.#start(signal),
				ended: (running) => this.#ended(running),
				stop: (running) => running.stop(),
				onChange: () => this.#tell(),
				check: checkPlugin,
				isIdle: () => this.#isIdle,
				isBusy: () => this.#calls > 0,
			},
			options.log,
		);
	}

	get state(): string {
		return this.#supervisor.state;
	}

	get trouble(): string | undefined {
		return this.#supervisor.trouble;
	}

	/** The types of storage that it provides, by the configuration or by its own registration. */
	get providesStorage(): readonly string[] {
		return [...this.entry.providesStorage, ...this.#offer.provided.providesStorage];
	}

	/** The AI providers that it serves, by the configuration or by its own registration. */
	get providesAi(): readonly string[] {
		return [...this.entry.providesAi, ...this.#offer.provided.providesAi];
	}

	/** The plugin registered with this manifest. Only what routing needs is kept of it. */
	registered(manifest: Provided): void {
		this.#offer.announce(manifest);
	}

	warm(): void {
		// One that has been up is started again by itself, or rests until it is needed.
		if (this.#offer.lists) return;
		// Why it does not start is logged, and it is tried again.
		this.up().catch(() => {});
	}

	/** The running plugin, started when it is not. */
	up(): Promise<PluginProcess> {
		return this.#supervisor.up();
	}

	/** Do something with the running plugin, which does not rest meanwhile. */
	async use<T>(work: (running: PluginProcess) => Promise<T>): Promise<T> {
		const running = await this.up();
		this.#calls++;
		try {
			return await work(running);
		} catch (thrown) {
			throw await explainEnd(this.id, thrown, running.child);
		} finally {
			this.#calls--;
			this.#lastUsed = performance.now();
		}
	}

	async listTools(): Promise<readonly Tool[]> {
		return (await this.#lists()).tools;
	}

	async listPrompts(): Promise<readonly Prompt[]> {
		return (await this.#lists()).prompts;
	}

	/** True when it is known to offer a tool of this name. */
	lists(toolName: string): boolean {
		return !this.#supervisor.isDown && this.#offer.hasTool(toolName);
	}

	knowsTool(toolName: string): boolean {
		return this.#supervisor.isDown && this.#offer.hasTool(toolName);
	}

	async callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		const { traceparent } = context.meta;
		// What came out of a JSON message is JSON.
		const exact = argumentsIn(context.text, input as JsonObject);
		const request = { toolName: name, arguments: exact.value, callerPlugin: CALLER };
		const value = {
			...request,
			sessionId: context.sessionId,
			traceParent: typeof traceparent === 'string' ? traceparent : '',
		};
		const { signal } = context;
		const response = await this.use(({ client }) => {
			const argumentsJson = exactBytes(exact, client.features.has(EXACT_JSON));
			const timeoutMs = this.terms.requestMs;
			return client.ask({ case: 'toolCall', value: { ...value, argumentsJson } }, 'toolCall', {
				signal,
				timeoutMs,
			});
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

	/** Pass a tool request on as it is. */
	forwardTool(request: ToolRequest, signal: AbortSignal): Promise<ToolResponse> {
		return this.ask({ case: 'toolCall', value: request }, 'toolCall', { signal });
	}

	/** Any request of the protocol, answered by the kind that is expected. */
	async ask<K extends ResponseKind>(
		request: NonNullable<RequestInit['request']>,
		kind: K,
		options: CallOptions = {},
	): Promise<ResponseValue<K>> {
		const timeoutMs = options.timeoutMs ?? this.terms.requestMs;
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

	async close(): Promise<void> {
		this.#listeners.clear();
		await this.#supervisor.close();
	}

	async #start(signal: AbortSignal): Promise<PluginProcess> {
		const { dependencies = [] } = this.terms;
		const running = await startPlugin(this.#options, {
			ready: () => Promise.all(dependencies.map((dependency) => dependency.up())),
			onStarted: (child) => {
				this.#starting = child;
				this.#startedAt = new Date();
			},
			signal,
		}).finally(() => {
			this.#starting = undefined;
		});
		this.#offer.learn(running);
		this.#lastUsed = performance.now();
		return running;
	}

	/** What it offers; nothing while it is down. Waits for its first start. */
	async #lists(): Promise<NonNullable<PluginOffer['lists']>> {
		if (!this.#supervisor.isDown && this.#offer.lists === undefined) await this.up();
		return (this.#supervisor.isDown ? undefined : this.#offer.lists) ?? { tools: [], prompts: [] };
	}

	get #isIdle(): boolean {
		const { idleMs = Number.POSITIVE_INFINITY } = this.terms;
		return this.#calls === 0 && performance.now() - this.#lastUsed >= idleMs;
	}

	async #ended({ child, client }: PluginProcess): Promise<string> {
		await Promise.race([child.exited, client.closed]);
		return (await exitOf(child)) ?? explainExit(child.diagnose());
	}

	/** A streaming tool: its chunks are told as progress, and joined they are the result. */
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

	/** Listeners get an event when the offer is another one, not when the same plugin is back. */
	#tell(): void {
		for (const change of this.#offer.changes(this.#supervisor.isDown))
			for (const listener of this.#listeners) listener(change);
	}
}
