/*
 * A plugin process as a backend: supervised, called over its link, its tools and
 * prompts known once it is up.
 *
 * A call that was under way when the plugin died is not repeated; its error says
 * that the outcome is unknown.
 */
import { promptOf, promptResultOf, toolOf, toolResultOf } from '../bridge/translate.ts';
import type { PluginEntry } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { CallContext } from '../mcp/call-context.ts';
import type { CallToolParams, Change, GetPromptParams } from '../mcp/provider.ts';
import type { CallToolResult, GetPromptResult, Prompt, Tool } from '../mcp/types.ts';
import type { CallOptions } from '../plugin/calls.ts';
import type { RequestInit, ResponseKind, ResponseValue } from '../plugin/codec.ts';
import { argumentsIn, exactBytes } from '../plugin/exact-json.ts';
import { EXACT_JSON } from '../plugin/features.ts';
import type { ToolRequest, ToolResponse } from '../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginProcess } from '../plugin/plugin-process.ts';
import type { Child } from '../process/child.ts';
import { explainExit } from '../process/diagnosis.ts';
import { commandLine } from '../process/spawn-record.ts';
import type { JsonObject } from '../wire/json.ts';
import type { Backend, OwnedProcess } from './backend.ts';
import { exitOf, explainEnd } from './plugin-end.ts';
import { joinStream } from './plugin-stream.ts';
import { Supervisor } from './supervisor.ts';

/** Who calls, when a client of the hub does. */
const CALLER = 'transport.stdio';

export interface PluginBackendOptions {
	readonly entry: PluginEntry;
	/** Where plugins find the hub; empty when it does not listen. */
	readonly orchestratorAddress: string;
	/** Default `~/.orchestra/certs`. */
	readonly certsDir: string | undefined;
	readonly log: Log;
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
	#known: Pick<PluginProcess, 'tools' | 'prompts'> | undefined;
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
				check: (running) => this.#check(running),
				isIdle: () => this.#isIdle,
				isBusy: () => this.#calls > 0,
			},
			options.log,
		);
	}

	get state(): string {
		return this.#supervisor.state;
	}

	warm(): void {
		// One that has been up is started again by itself, or rests until it is needed.
		if (this.#known) return;
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
		const { tools } = this.#offer ?? (await this.up());
		return tools.map(toolOf);
	}

	async listPrompts(): Promise<readonly Prompt[]> {
		const { prompts } = this.#offer ?? (await this.up());
		return prompts.map(promptOf);
	}

	/** True when it is known to offer a tool of this name. */
	lists(toolName: string): boolean {
		return this.#offer?.tools.some(({ name }) => name === toolName) ?? false;
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
		const { entry, orchestratorAddress, log } = this.#options;
		const { dependencies = [] } = this.terms;
		// Protobuf and the links are loaded when the first plugin starts, not when the hub does.
		const { startPluginProcess } = await import('../plugin/plugin-process.ts');
		const { certificatesFolder } = await import('../quic/certificates.ts');
		const certsDir = certificatesFolder(this.#options.certsDir);
		await Promise.all(dependencies.map((dependency) => dependency.up()));
		const { binary, args, env, config } = entry;
		const pluginLog = log.named(this.id);
		const onLog = (line: string): void => pluginLog.info(line);
		const running = await startPluginProcess({
			id: this.id,
			binary,
			args,
			env,
			config,
			orchestratorAddress,
			certsDir,
			onLog,
			onStarted: (child) => {
				this.#starting = child;
				this.#startedAt = new Date();
			},
			signal,
			log,
		}).finally(() => {
			this.#starting = undefined;
		});
		this.#known = running;
		this.#lastUsed = performance.now();
		return running;
	}

	/** What it offers, as far as that is known; nothing while it is down. */
	get #offer(): Pick<PluginProcess, 'tools' | 'prompts'> | undefined {
		return this.#supervisor.isDown ? nothing : this.#known;
	}

	get #isIdle(): boolean {
		const { idleMs = Number.POSITIVE_INFINITY } = this.terms;
		return this.#calls === 0 && performance.now() - this.#lastUsed >= idleMs;
	}

	async #check({ client }: PluginProcess): Promise<void> {
		const options = { timeoutMs: HEALTH_MS };
		const { response } = await client.send({ request: { case: 'health', value: {} } }, options);
		if (response.case !== 'health') return; // older plugins do not know the question
		const { message } = response.value;
		const status: number = response.value.status;
		if (status === UNHEALTHY)
			throw new OrchestraError('tool_failed', message || 'it says that it is not healthy');
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

	#tell(): void {
		for (const kind of ['tools', 'prompts'] as const)
			for (const listener of this.#listeners) listener({ kind });
	}
}

/** How long a plugin may take to say how it is. */
const HEALTH_MS = 5000;
/** The status by its number: the generated code is loaded with the first plugin only. */
const UNHEALTHY = 3;

const nothing = { tools: [], prompts: [] };
