/*
 * Tools of Tool Protocol v1 as a backend: discovered under the roots, each call one
 * process, its events turned into progress and log messages as they come.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { Configuration } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { CallContext } from '../mcp/call-context.ts';
import type { CallToolParams, Change } from '../mcp/provider.ts';
import { type CallToolResult, isLogLevel, type Tool } from '../mcp/types.ts';
import { HelperSpawner } from '../process/helper-spawner.ts';
import { discoverTools, toolRoots } from '../tool/discover.ts';
import { runTimeoutMs } from '../tool/limits.ts';
import { mcpLogOf, mcpProgressOf, mcpResultOf } from '../tool/mcp-result.ts';
import { type RunOptions, runTool } from '../tool/run.ts';
import type { Tool as FoundTool } from '../tool/tool.ts';
import type { JsonObject } from '../wire/json.ts';
import type { Backend, OwnedProcess } from './backend.ts';

/** How long after a change the tools are looked for again, in milliseconds. */
const SETTLE_MS = 150;

/** From this size on children are started through a small helper process. */
const LARGE_PROCESS_BYTES = 256 * 1024 * 1024;

export interface ToolBackendOptions {
	readonly configuration: Configuration;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

interface ToolRunning {
	readonly tool: FoundTool;
	readonly startedAt: Date;
	pid: number | undefined;
	/** Resolves when the run is over, however it ended. */
	done: Promise<void>;
}

export class ToolBackend implements Backend {
	readonly id = 'tools';
	readonly kind = 'tools';
	readonly qualifiesNames = false;
	readonly #options: ToolBackendOptions;
	readonly #roots: readonly string[];
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #watches: FSWatcher[] = [];
	readonly #runs = new Set<ToolRunning>();
	readonly #closing = new AbortController();
	#tools: ReadonlyMap<string, FoundTool> | undefined;
	#spawner: HelperSpawner | undefined;
	#spawnerSince = new Date(0);
	#timer: NodeJS.Timeout | undefined;

	constructor(options: ToolBackendOptions) {
		this.#options = options;
		this.#roots = toolRoots(options.configuration, options.environment, options.cwd);
	}

	get state(): string {
		return this.#runs.size > 0 ? `${this.#runs.size} running` : 'known';
	}

	/** Watch the roots. */
	warm(): void {
		if (this.#watches.length === 0) this.#watch();
	}

	listTools(): readonly Tool[] {
		return [...this.#known().values()].map(describe);
	}

	async callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		const tool = this.#known().get(name);
		if (tool === undefined) throw new OrchestraError('not_found', `the tool ${name} is not there any more`);
		const running: ToolRunning = { tool, startedAt: new Date(), pid: undefined, done: Promise.resolve() };
		const result = this.#run(running, input, context);
		// Whoever closes the backend waits for the end; how it ended is for the caller.
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

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Every run has its own time limit, so this ends. */
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
		clearTimeout(this.#timer);
		for (const opened of this.#watches.splice(0)) opened.close();
		this.#listeners.clear();
	}

	async #run(
		running: ToolRunning,
		input: Record<string, unknown>,
		context: CallContext,
	): Promise<CallToolResult> {
		const run = runTool(running.tool, this.#runOptions(running, input, context));
		for await (const event of run) {
			const progress = context.wantsProgress ? mcpProgressOf(event) : undefined;
			if (progress) context.progress(progress.progress, progress.total, progress.message);
			const log = mcpLogOf(event);
			if (log && isLogLevel(log.level)) context.log(log.level, log.data, log.logger);
		}
		const { content, ...rest } = mcpResultOf(await run.summary, this.#options.configuration.root);
		return { ...rest, content: content.map((block) => ({ ...block })) };
	}

	#known(): ReadonlyMap<string, FoundTool> {
		if (this.#tools === undefined) {
			const { tools, problems } = discoverTools(this.#roots);
			for (const { message } of problems) this.#options.log.warn(message);
			this.#tools = new Map(tools.map((tool) => [tool.id, tool]));
		}
		return this.#tools;
	}

	#runOptions(running: ToolRunning, input: Record<string, unknown>, context: CallContext): RunOptions {
		const { tool } = running;
		const { configuration, environment, log } = this.#options;
		const { tools: settings, limits, root: workspaceRoot } = configuration;
		const { toolOutputBytes: outputBytes, toolEvents: events } = limits;
		const times = { byTool: settings.timeouts, manifest: tool.timeoutMs, fallback: settings.timeoutMs };
		return {
			// What came out of a JSON message is JSON.
			input: input as JsonObject,
			config: settings.config,
			workspaceRoot,
			environment,
			signal: AbortSignal.any([context.signal, this.#closing.signal]),
			spawner: this.#spawnerForLarge(),
			timeoutMs: runTimeoutMs(tool.id, times),
			limits: { ...(outputBytes !== undefined && { outputBytes }), ...(events !== undefined && { events }) },
			onSpawn: (pid) => {
				running.pid = pid;
			},
			onWarning: ({ message }) => log.debug(`${tool.id}: ${message}`),
		};
	}

	/** Forking takes long only for a large process; only then is a helper worth a process of its own. */
	#spawnerForLarge(): HelperSpawner | undefined {
		if (this.#spawner === undefined && process.memoryUsage.rss() > LARGE_PROCESS_BYTES) {
			this.#spawner = new HelperSpawner();
			this.#spawnerSince = new Date();
		}
		return this.#spawner;
	}

	#watch(): void {
		for (const root of this.#roots) {
			try {
				const opened = watch(root, { recursive: true, persistent: false }, () => this.#onFiles());
				opened.on('error', () => opened.close()); // the root went away; its tools are gone at the next look
				this.#watches.push(opened);
			} catch {
				// A root that does not exist has no tools and needs no watch.
			}
		}
	}

	/** A burst of changes is one look, and files that never rest are looked at all the same. */
	#onFiles(): void {
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.#tools = undefined;
			for (const listener of this.#listeners) listener({ kind: 'tools' });
		}, SETTLE_MS);
		this.#timer.unref();
	}
}

const anyObject: JsonObject = { type: 'object' };

function describe(tool: FoundTool): Tool {
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
