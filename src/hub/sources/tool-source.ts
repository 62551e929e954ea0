/*
 * Tools of Tool Protocol v1 as a source: they are discovered below the roots, each
 * call is one process, and its events become progress and log notifications.
 */
import type { Configuration } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { Call, Capability, Change } from '../../mcp/server/provider.ts';
import type { HelperSpawner } from '../../process/spawn/helper-spawner.ts';
import type { CallToolResult, Tool } from '../../protocol/mcp-types.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import type { Semaphore } from '../../rpc/semaphore.ts';
import { toolRoots } from '../../tool/discover.ts';
import type { ToolEvent } from '../../tool/event.ts';
import { mcpFailureOf, mcpLogOf, mcpProgressOf, mcpResultOf } from '../../tool/mcp-result.ts';
import { missingProgram } from '../../tool/missing-program.ts';
import type { RunOptions } from '../../tool/run.ts';
import { runTimeoutMs } from '../../tool/run-limits.ts';
import { defaultRunsAtOnce, runSemaphore, waitedTooLong } from '../../tool/runs-at-once.ts';
import { type DiscoveredTool, toolEnvironment } from '../../tool/tool.ts';
import { type JsonObject, ownEntry } from '../../wire/json.ts';
import type { Can, Source } from '../source.ts';
import type { OwnedProcess, SourceStatus } from '../source-status.ts';
import { LARGE_PROCESS_BYTES } from './source-limits.ts';
import { ToolWatch } from './tool-watch.ts';

export interface ToolSourceOptions {
	readonly configuration: Configuration;
	/** Equal for the same tools and settings. */
	readonly configurationKey: string;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

interface ToolRunning {
	readonly tool: DiscoveredTool;
	readonly startedAt: Date;
	pid: number | undefined;
}

export class ToolSource
	implements Source, Can<'hasDownTool' | 'warm' | 'processes' | 'retire' | 'configurationKey'>
{
	readonly id = 'tools';
	readonly kind = 'tools';
	readonly capabilities: readonly Capability[] = ['tools'];
	readonly configurationKey: string;
	readonly #options: ToolSourceOptions;
	readonly #tools: ToolWatch;
	readonly #atOnce: number;
	readonly #queue: Semaphore;
	readonly #listeners = new Listeners<Change>();
	/** The runs with the end of each. */
	readonly #runs = new Map<ToolRunning, Promise<unknown>>();
	readonly #closing = new AbortController();
	#starts = 0;
	#spawner: HelperSpawner | undefined;
	#spawnerSince = new Date(0);

	constructor(options: ToolSourceOptions) {
		this.#options = options;
		const { configuration, environment, cwd, log } = options;
		this.configurationKey = options.configurationKey;
		const roots = toolRoots(configuration, environment, cwd);
		this.#atOnce = configuration.limits.toolsAtOnce ?? defaultRunsAtOnce();
		this.#queue = runSemaphore(this.#atOnce);
		this.#tools = new ToolWatch({
			roots,
			environment,
			log,
			onChange: () => this.#listeners.emit({ kind: 'tools' }),
		});
	}

	get status(): SourceStatus {
		const queued = this.#queue.waitingCount;
		return {
			state: 'ready',
			calls: this.#runs.size,
			queued,
			starts: this.#starts,
			tools: this.#tools.count,
		};
	}

	/** Watch the roots. */
	warm(): void {
		this.#tools.watch();
	}

	list(): readonly Tool[] {
		return this.#tools.usable.map(describe);
	}

	/** Its program is missing, or was installed since the last list. */
	hasDownTool(name: string): boolean {
		return this.#tools.find(name) !== undefined;
	}

	/** Only `tools/call`: it has no other capability. */
	async request({ method, params, context }: Call): Promise<CallToolResult> {
		if (method !== 'tools/call') throw methodNotFound(method);
		const { name, arguments: input } = params;
		const tool = this.#tools.find(name);
		if (tool === undefined) throw new OrchestraError('not_found', `the tool ${name} was removed`);
		const running: ToolRunning = { tool, startedAt: new Date(), pid: undefined };
		const result = this.#run(running, input, context).finally(() => this.#runs.delete(running));
		this.#runs.set(running, result);
		return result;
	}

	processes(): readonly OwnedProcess[] {
		const runs = [...this.#runs.keys()].map(({ tool, pid, startedAt }) => ({
			command: tool.id,
			pid,
			startedAt,
		}));
		const helper = { command: 'spawn helper', pid: this.#spawner?.pid, startedAt: this.#spawnerSince };
		return [...runs, helper].flatMap(({ command, pid, startedAt }) =>
			pid === undefined ? [] : [{ backend: this.id, pid, command, startedAt, state: 'ready' }],
		);
	}

	readonly watch: Listeners<Change>['add'] = this.#listeners.add;

	/** Every run has a timeout, so this ends. */
	async retire(): Promise<void> {
		this.#unwatch();
		await Promise.allSettled(this.#runs.values());
		await this.close();
	}

	async close(): Promise<void> {
		this.#unwatch();
		this.#closing.abort(new OrchestraError('canceled', 'the hub is shutting down'));
		await Promise.allSettled(this.#runs.values());
		this.#spawner?.close();
	}

	#unwatch(): void {
		this.#tools.close();
		this.#listeners.clear();
	}

	/** Wait in the queue, then run. A tool that cannot start gives a failed result that the model can read. */
	async #run(
		running: ToolRunning,
		input: Record<string, unknown>,
		context: CallContext,
	): Promise<CallToolResult> {
		const signal = AbortSignal.any([context.signal, this.#closing.signal]);
		const options = { ...this.#runOptions(running), signal, input: input as JsonObject }; // it came out of a JSON message
		const { environment, configuration } = this.#options;
		try {
			const missing = missingProgram(running.tool, environment);
			if (missing) throw missing;
			if (!this.#tools.usable.includes(running.tool)) this.#tools.refresh();
			await this.#enter(signal, options.timeoutMs)?.finally(context.enter('queue'));
		} catch (error) {
			signal.throwIfAborted();
			return mcpFailureOf(error);
		}
		try {
			const traceparent = context.tracer?.sent();
			// Loaded when the first tool runs: lists do not need it.
			const { runTool } = await import('../../tool/run.ts');
			const spawner = await this.#spawnerForLarge();
			const run = runTool(running.tool, { ...options, spawner, traceparent });
			for await (const event of run) report(event, context);
			return mcpResultOf(await run.summary, configuration.root, running.tool);
		} finally {
			this.#queue.leave();
		}
	}

	/** A call that waited as long as it may run is given up. */
	#enter(signal: AbortSignal, timeoutMs: number): Promise<void> | undefined {
		signal.throwIfAborted();
		const late = (): OrchestraError => waitedTooLong(this.#atOnce, timeoutMs);
		return this.#queue.enter(undefined, () => ({ signal, timeoutMs, late }));
	}

	#runOptions(running: ToolRunning): RunOptions & { timeoutMs: number } {
		const { tool } = running;
		const { configuration, environment, log } = this.#options;
		const { tools: settings, limits, root: workspaceRoot } = configuration;
		const { toolOutputBytes: outputBytes, toolEvents: events } = limits;
		const times = { byTool: settings.timeouts, manifest: tool.timeoutMs, fallback: settings.timeoutMs };
		return {
			config: settings.config,
			blockedConfigFolder: settings.blockedConfigFolder,
			workspaceRoot,
			environment: toolEnvironment(tool, settings, environment),
			sandbox: ownEntry(settings.sandboxes, tool.id) ?? settings.sandbox,
			childLimits: settings.limits,
			timeoutMs: runTimeoutMs(tool.id, times),
			limits: { ...(outputBytes !== undefined && { outputBytes }), ...(events !== undefined && { events }) },
			onSpawn: (pid) => {
				running.pid = pid;
				this.#starts++;
			},
			onWarning: ({ message }) => log.debug(`${tool.id}: ${message}`),
		};
	}

	/** The helper is started only when this process is large. */
	async #spawnerForLarge(): Promise<HelperSpawner | undefined> {
		if (this.#spawner === undefined && process.memoryUsage.rss() > LARGE_PROCESS_BYTES) {
			const { HelperSpawner: Spawner } = await import('../../process/spawn/helper-spawner.ts');
			this.#spawnerSince = new Date();
			this.#spawner ??= new Spawner();
		}
		return this.#spawner;
	}
}

function report(event: ToolEvent, context: CallContext): void {
	const progress = context.wantsProgress ? mcpProgressOf(event) : undefined;
	if (progress) context.progress(progress.progress, progress.total, progress.message);
	const log = mcpLogOf(event);
	if (log) context.log(log.level, log.data, log.logger);
}

const anyObject: JsonObject = { type: 'object' };

function describe(tool: DiscoveredTool): Tool {
	const { id, name, description, inputSchema, outputSchema, annotations } = tool;
	return {
		name: id,
		title: name,
		description,
		inputSchema: inputSchema ?? anyObject,
		...(outputSchema && { outputSchema }),
		...(annotations && { annotations }),
	};
}
