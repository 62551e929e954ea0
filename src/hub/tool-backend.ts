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
import type { Backend } from './backend.ts';

/** How long after a change the tools are looked for again, in milliseconds. */
const SETTLE_MS = 150;

export interface ToolBackendOptions {
	readonly configuration: Configuration;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

export class ToolBackend implements Backend {
	readonly id = 'tools';
	readonly kind = 'tools';
	readonly qualifiesNames = false;
	readonly #options: ToolBackendOptions;
	readonly #roots: readonly string[];
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #watches: FSWatcher[] = [];
	#tools: ReadonlyMap<string, FoundTool> | undefined;
	#spawner: HelperSpawner | undefined;
	#timer: NodeJS.Timeout | undefined;
	#running = 0;

	constructor(options: ToolBackendOptions) {
		this.#options = options;
		this.#roots = toolRoots(options.configuration, options.environment, options.cwd);
	}

	get state(): string {
		return this.#running > 0 ? `${this.#running} running` : 'known';
	}

	/** Start the helper that forks for us while we are small, and watch the roots. */
	warm(): void {
		this.#spawner ??= new HelperSpawner();
		if (this.#watches.length === 0) this.#watch();
	}

	listTools(): readonly Tool[] {
		return [...this.#known().values()].map(describe);
	}

	async callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		const tool = this.#known().get(name);
		if (tool === undefined) throw new OrchestraError('not_found', `the tool ${name} is not there any more`);
		const workspaceRoot = this.#options.configuration.root;
		const run = runTool(tool, this.#runOptions(tool, input as JsonObject, context));
		this.#running++;
		try {
			let count = 0;
			for await (const event of run) {
				count++;
				const progress = context.wantsProgress ? mcpProgressOf(event, count) : undefined;
				if (progress) context.progress(progress.progress, progress.total, progress.message);
				const log = mcpLogOf(event);
				if (log && isLogLevel(log.level)) context.log(log.level, log.data, log.logger);
			}
			const { content, ...rest } = mcpResultOf(await run.summary, workspaceRoot);
			return { ...rest, content: content.map((block) => ({ ...block })) };
		} finally {
			this.#running--;
		}
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	async close(): Promise<void> {
		clearTimeout(this.#timer);
		for (const opened of this.#watches.splice(0)) opened.close();
		this.#listeners.clear();
		this.#spawner?.close();
	}

	#known(): ReadonlyMap<string, FoundTool> {
		if (this.#tools === undefined) {
			const { tools, problems } = discoverTools(this.#roots);
			for (const { message } of problems) this.#options.log.warn(message);
			this.#tools = new Map(tools.map((tool) => [tool.id, tool]));
		}
		return this.#tools;
	}

	#runOptions(tool: FoundTool, input: JsonObject, context: CallContext): RunOptions {
		const { configuration, environment, log } = this.#options;
		const { tools: settings, limits, root: workspaceRoot } = configuration;
		const { toolOutputBytes: outputBytes, toolEvents: events } = limits;
		return {
			input,
			config: settings.config,
			workspaceRoot,
			environment,
			signal: context.signal,
			spawner: this.#spawner,
			timeoutMs: runTimeoutMs(tool.id, {
				byTool: settings.timeouts,
				manifest: tool.timeoutMs,
				fallback: settings.timeoutMs,
			}),
			limits: { ...(outputBytes !== undefined && { outputBytes }), ...(events !== undefined && { events }) },
			onWarning: ({ message }) => log.debug(`${tool.id}: ${message}`),
		};
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
