/*
 * Tools of Tool Protocol v1 as a backend: they are discovered below the roots, each
 * call is one process, and its events become progress and log notifications.
 */
import type { Configuration } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams, Change } from '../../mcp/server/provider.ts';
import type { HelperSpawner } from '../../process/helper-spawner.ts';
import { type CallToolResult, isLogLevel, type Tool } from '../../protocol/mcp-types.ts';
import { toolRoots } from '../../tool/discover.ts';
import type { ToolEvent } from '../../tool/event.ts';
import {
	type McpToolResult,
	mcpFailureOf,
	mcpLogOf,
	mcpProgressOf,
	mcpResultOf,
} from '../../tool/mcp-result.ts';
import { missingProgram } from '../../tool/missing-program.ts';
import type { RunOptions } from '../../tool/run.ts';
import { runTimeoutMs } from '../../tool/run-limits.ts';
import { defaultRunsAtOnce, RunQueue } from '../../tool/run-queue.ts';
import { type DiscoveredTool, toolEnvironment } from '../../tool/tool.ts';
import { type JsonObject, ownEntry } from '../../wire/json.ts';
import type { Backend, BackendCounts, OwnedProcess } from './backend.ts';
import { StartCounts } from './start-counts.ts';
import { WatchedTools } from './watched-tools.ts';

/** Above this size children are started by a small helper process: forking a large process is slow. */
const LARGE_PROCESS_BYTES = 256 * 1024 * 1024;

export interface ToolBackendOptions {
	readonly configuration: Configuration;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

interface ToolRunning {
	readonly tool: DiscoveredTool;
	readonly startedAt: Date;
	pid: number | undefined;
	/** Resolves when the run has ended, successfully or not. */
	done: Promise<void>;
}

export class ToolBackend implements Backend {
	readonly id = 'tools';
	readonly kind = 'tools';
	readonly qualifiesNames = false;
	readonly #options: ToolBackendOptions;
	readonly #tools: WatchedTools;
	readonly #queue: RunQueue;
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #runs = new Set<ToolRunning>();
	readonly #closing = new AbortController();
	readonly #starts = new StartCounts();
	#spawner: HelperSpawner | undefined;
	#spawnerSince = new Date(0);

	constructor(options: ToolBackendOptions) {
		this.#options = options;
		const { configuration, environment, cwd, log } = options;
		const roots = toolRoots(configuration, environment, cwd);
		this.#queue = new RunQueue(configuration.limits.toolsAtOnce ?? defaultRunsAtOnce());
		this.#tools = new WatchedTools({ roots, environment, log, onChange: () => this.#notifyChange() });
	}

	get state(): string {
		const { waitingCount } = this.#queue;
		const running = this.#runs.size - waitingCount;
		if (waitingCount > 0) return `${running} running, ${waitingCount} waiting`;
		return running > 0 ? `${running} running` : 'known';
	}

	/** Watch the roots. */
	warm(): void {
		this.#tools.watch();
	}

	listTools(): readonly Tool[] {
		return this.#tools.offered.map(describe);
	}

	/** The missing program of a tool. If it was installed since, the tool is listed from now on. */
	unlistedReason(name: string): string | undefined {
		const tool = this.#tools.find(name);
		if (tool === undefined) return undefined;
		const missing = missingProgram(tool, this.#options.environment);
		if (missing) return [missing.message, missing.hint].filter(Boolean).join('. ');
		this.#tools.refresh();
		return `the program of ${name} was installed since the last list; call the tool again`;
	}

	async callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		const tool = this.#tools.find(name);
		if (tool === undefined) throw new OrchestraError('not_found', `the tool ${name} was removed`);
		const running: ToolRunning = { tool, startedAt: new Date(), pid: undefined, done: Promise.resolve() };
		const result = this.#run(running, input, context);
		// `close` waits for the end; the caller gets the result or the error.
		running.done = result.then(ignore, ignore);
		this.#runs.add(running);
		return result.finally(() => this.#runs.delete(running));
	}

	processes(): readonly OwnedProcess[] {
		const runs = [...this.#runs].map(({ tool, pid, startedAt }) => ({ command: tool.id, pid, startedAt }));
		const helper = { command: 'spawn helper', pid: this.#spawner?.pid, startedAt: this.#spawnerSince };
		return [...runs, helper].flatMap(({ command, pid, startedAt }) =>
			pid === undefined ? [] : [{ backend: this.id, pid, command, startedAt, state: 'running' }],
		);
	}

	counts(): BackendCounts {
		return { queued: this.#queue.waitingCount, ...this.#starts.all };
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Every run has a timeout, so this ends. */
	async retire(): Promise<void> {
		this.#unwatch();
		await Promise.all([...this.#runs].map(({ done }) => done));
		await this.close();
	}

	async close(): Promise<void> {
		this.#unwatch();
		this.#closing.abort(new OrchestraError('canceled', 'the hub is shutting down'));
		await Promise.all([...this.#runs].map(({ done }) => done));
		this.#spawner?.close();
	}

	#unwatch(): void {
		this.#tools.close();
		this.#listeners.clear();
	}

	#notifyChange(): void {
		for (const listener of this.#listeners) listener({ kind: 'tools' });
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
		let leave: () => void;
		try {
			const missing = missingProgram(running.tool, environment);
			if (missing) throw missing;
			leave = await this.#queue.enter(signal, options.timeoutMs).finally(context.enter('queue'));
		} catch (error) {
			signal.throwIfAborted();
			return plain(mcpFailureOf(error));
		}
		try {
			const traceparent = context.tracer?.sent();
			// Loaded when the first tool runs: lists do not need it.
			const { runTool } = await import('../../tool/run.ts');
			const spawner = await this.#spawnerForLarge();
			const run = runTool(running.tool, { ...options, spawner, traceparent });
			for await (const event of run) report(event, context);
			return plain(mcpResultOf(await run.summary, configuration.root, running.tool));
		} finally {
			leave();
		}
	}

	#runOptions(running: ToolRunning): RunOptions & { timeoutMs: number } {
		const { tool } = running;
		const { configuration, environment, log } = this.#options;
		const { tools: settings, limits, root: workspaceRoot } = configuration;
		const { toolOutputBytes: outputBytes, toolEvents: events } = limits;
		const times = { byTool: settings.timeouts, manifest: tool.timeoutMs, fallback: settings.timeoutMs };
		return {
			config: settings.config,
			workspaceRoot,
			environment: toolEnvironment(tool, settings, environment),
			sandbox: ownEntry(settings.sandboxes, tool.id) ?? settings.sandbox,
			childLimits: settings.limits,
			timeoutMs: runTimeoutMs(tool.id, times),
			limits: { ...(outputBytes !== undefined && { outputBytes }), ...(events !== undefined && { events }) },
			onSpawn: (pid) => {
				running.pid = pid;
				this.#starts.started(false);
			},
			onWarning: ({ message }) => log.debug(`${tool.id}: ${message}`),
		};
	}

	/** The helper is started only when this process is large. */
	async #spawnerForLarge(): Promise<HelperSpawner | undefined> {
		if (this.#spawner === undefined && process.memoryUsage.rss() > LARGE_PROCESS_BYTES) {
			const { HelperSpawner: Spawner } = await import('../../process/helper-spawner.ts');
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
	if (log && isLogLevel(log.level)) context.log(log.level, log.data, log.logger);
}

/** Not copied: it may remember its JSON text. */
function plain(result: McpToolResult): CallToolResult {
	// Only the types differ: those of the protocol are open to more members.
	return result as object as CallToolResult;
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

function ignore(): void {}
