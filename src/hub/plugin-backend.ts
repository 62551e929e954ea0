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
import { explainExit } from '../process/diagnosis.ts';
import { commandLine } from '../process/spawn-record.ts';
import type { JsonObject } from '../wire/json.ts';
import type { Backend, OwnedProcess } from './backend.ts';
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
	/** Must be up before this one starts. */
	readonly dependencies?: readonly PluginBackend[];
	/** How long a call may take, in milliseconds. */
	readonly requestMs?: number | undefined;
}

export class PluginBackend implements Backend {
	readonly id: string;
	readonly kind = 'plugin';
	readonly qualifiesNames = false;
	readonly entry: PluginEntry;
	readonly #options: PluginBackendOptions;
	readonly #supervisor: Supervisor<PluginProcess>;
	readonly #listeners = new Set<(change: Change) => void>();
	#startedAt = new Date(0);
	#lastStream = 0;

	constructor(options: PluginBackendOptions) {
		this.#options = options;
		this.entry = options.entry;
		this.id = options.entry.id;
		this.#supervisor = new Supervisor<PluginProcess>(
			{
				name: `the plugin ${this.id}`,
				start: () => this.#start(),
				ended: (running) => this.#ended(running),
				stop: (running) => running.stop(),
				onChange: () => this.#tell(),
			},
			options.log,
		);
	}

	get state(): string {
		return this.#supervisor.state;
	}

	warm(): void {
		// Why it does not start is logged, and it is tried again.
		this.up().catch(() => {});
	}

	/** The running plugin, started when it is not. */
	up(): Promise<PluginProcess> {
		return this.#supervisor.up();
	}

	async listTools(): Promise<readonly Tool[]> {
		return (await this.up()).tools.map(toolOf);
	}

	async listPrompts(): Promise<readonly Prompt[]> {
		return (await this.up()).prompts.map(promptOf);
	}

	async callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		const { traceparent } = context.meta;
		// What came out of a JSON message is JSON.
		const exact = argumentsIn(context.text, input as JsonObject);
		const request = { toolName: name, arguments: exact.value, callerPlugin: CALLER };
		const value = {
			...request,
			traceParent: typeof traceparent === 'string' ? traceparent : '',
			argumentsJson: exactBytes(exact, (await this.up()).client.features.has(EXACT_JSON)),
		};
		const response = await this.ask({ case: 'toolCall', value }, 'toolCall', { signal: context.signal });
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
		const { client } = await this.up();
		const timeoutMs = options.timeoutMs ?? this.#options.requestMs;
		try {
			return await client.ask(request, kind, { ...options, timeoutMs });
		} catch (thrown) {
			throw this.#explain(thrown);
		}
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	processes(): readonly OwnedProcess[] {
		const running = this.#supervisor.running;
		if (running === undefined) return [];
		const { pid, record } = running.child;
		return [
			{ backend: this.id, pid, command: commandLine(record), startedAt: this.#startedAt, state: this.state },
		];
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await this.#supervisor.close();
	}

	async #start(): Promise<PluginProcess> {
		const { entry, orchestratorAddress, log, dependencies = [] } = this.#options;
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
			log,
		});
		this.#startedAt = new Date();
		return running;
	}

	async #ended({ child, client }: PluginProcess): Promise<string> {
		await Promise.race([child.exited, client.closed]);
		// The link may notice a death before the process table does.
		await Promise.race([child.exited, new Promise((resolve) => setTimeout(resolve, EXIT_WAIT_MS).unref())]);
		return explainExit(child.diagnose());
	}

	/** A streaming tool: its chunks are told as progress, and joined they are the result. */
	async #collect(
		request: { toolName: string; arguments: JsonObject; callerPlugin: string },
		context: CallContext,
		notFound: ToolResponse,
	): Promise<CallToolResult> {
		const { client } = await this.up();
		this.#lastStream++;
		const value = { streamId: `${this.id}-${this.#lastStream}`, ...request };
		const parts: string[] = [];
		const stream = client.sendStream({ request: { case: 'streamStart', value } }, { signal: context.signal });
		for await (const { response } of stream) {
			if (response.case === 'streamChunk') {
				const text = Buffer.from(response.value.data).toString('utf8');
				parts.push(text);
				context.progress(parts.length, undefined, text);
			} else if (response.case === 'streamEnd') {
				const { success, errorCode, errorMessage } = response.value;
				if (!success && errorCode === 'tool_not_found') return toolResultOf(notFound);
				if (!success) return failure(errorMessage || `tool error: ${errorCode}`);
			} else return toolResultOf(notFound);
		}
		return { content: [{ type: 'text', text: parts.join('') }] };
	}

	#explain(thrown: unknown): OrchestraError {
		const error = OrchestraError.from(thrown);
		if (error.code !== 'closed' && error.code !== 'io') return error;
		return new OrchestraError(
			'closed',
			`the plugin ${this.id} went away during the call; the outcome is unknown`,
			{
				cause: error,
				hint: 'It may or may not have run, so it was not repeated. Look before you call again.',
				data: { plugin: this.id, reason: error.message },
			},
		);
	}

	#tell(): void {
		for (const kind of ['tools', 'prompts'] as const)
			for (const listener of this.#listeners) listener({ kind });
	}
}

const EXIT_WAIT_MS = 500;

function failure(text: string): CallToolResult {
	return { content: [{ type: 'text', text }], isError: true };
}
