/*
 * Run a tool: the one runner of the command line, the library and the hub.
 *
 *     const run = runTool(tool, { input: { name: 'CI' }, workspaceRoot });
 *     for await (const event of run) show(event);
 *     const { outcome, result, error } = await run.summary;
 *
 * A run never throws for what a tool does: every failure is an error event and a
 * summary. Problems before the start (configuration, input) are reported the same way.
 */
import { OrchestraError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { StderrPolicy } from '../process/child.ts';
import type { ChildLimits } from '../process/sandbox/child-limits.ts';
import type { Sandbox } from '../process/sandbox/sandbox.ts';
import type { Spawner } from '../process/spawn/spawner.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { deferred } from '../rpc/deferred.ts';
import { validate } from '../schema/validate.ts';
import { isObject, type JsonObject } from '../wire/json.ts';
import { syntheticError, type ToolEvent } from './event.ts';
import { Exchange } from './exchange.ts';
import { missingProgram } from './missing-program.ts';
import { RUN_TIMEOUT_MS, type RunLimits, runLimits } from './run-limits.ts';
import { missingConfigHint, settingsOf } from './settings.ts';
import { errorCode, type RunSummary, type RunWarning } from './summary.ts';
import { type DiscoveredTool, spawnRecordOf } from './tool.ts';
import { Transcript } from './transcript.ts';

/** Options of one run of a tool. */
export interface RunOptions {
	/** Default: an empty object. */
	readonly input?: JsonObject | undefined;
	/** All that is configured, nested or dotted; the tool sees what it declares. */
	readonly config?: Readonly<Record<string, unknown>> | undefined;
	/** A project folder whose `config` is blocked until the user trusts it. */
	readonly blockedConfigFolder?: string | undefined;
	/** Absolute folder the user works in. Default: the working directory. */
	readonly workspaceRoot?: string | undefined;
	/** Default: the tool's own, else 30 s. */
	readonly timeoutMs?: number | undefined;
	/** Ends the tool's process group when aborted. */
	readonly signal?: AbortSignal | undefined;
	readonly limits?: Partial<RunLimits> | undefined;
	/** Where stderr goes, beside its last lines, which are retained. Default: nowhere. */
	readonly stderr?: StderrPolicy | undefined;
	/** Called at once for lines that are no events, and at the end for contradictions. */
	readonly onWarning?: ((warning: RunWarning) => void) | undefined;
	/** The environment that the tool's is chosen from. Default: ours. */
	readonly environment?: Readonly<NodeJS.ProcessEnv> | undefined;
	/** The tool gets it as `TRACEPARENT` in its environment. */
	readonly traceparent?: string | undefined;
	/** The sandbox of the tool. Default: everything that this user may. */
	readonly sandbox?: Sandbox | undefined;
	/** Memory, processes and open files of the tool. */
	readonly childLimits?: ChildLimits | undefined;
	/** A `HelperSpawner`, for a large process. */
	readonly spawner?: Spawner | undefined;
	/** Called with the pid of the tool once it runs. */
	readonly onSpawn?: ((pid: number) => void) | undefined;
	/** Sent instead of the request, without any check. For conformance tests. */
	readonly requestText?: string | undefined;
}

/** A run, which starts when it is first read. Stopping to read cancels it. It can be read once. */
export interface ToolRun extends AsyncIterable<ToolEvent> {
	/** Resolves when the run is over and the process gone. Never rejects. */
	readonly summary: Promise<RunSummary>;
	/** Read to the end, for callers who want the summary alone. */
	finish(): Promise<RunSummary>;
}

/** Run a tool. Nothing happens until the events are read, or `finish` is called. */
export function runTool(tool: DiscoveredTool, options: RunOptions = {}): ToolRun {
	const { promise: summary, resolve } = deferred<RunSummary>();
	const events = runEvents(tool, options, resolve);
	return {
		summary,
		[Symbol.asyncIterator]: () => events,
		async finish() {
			for await (const _ of events);
			return summary;
		},
	};
}

async function* runEvents(
	tool: DiscoveredTool,
	options: RunOptions,
	settle: (summary: RunSummary) => void,
): AsyncGenerator<ToolEvent, void, undefined> {
	const transcript = new Transcript(tool.id, options.onWarning);
	const opened = await open(tool, options, transcript);
	if (!(opened instanceof Exchange)) {
		transcript.add(opened);
		const exit = errorCode(opened) === 'TOOL_OUTCOME_UNKNOWN' ? endedByUs : null;
		settle(transcript.summary({ exit, ...(options.signal?.aborted && { stopped: 'canceled' }) }));
		yield opened;
		return;
	}
	let isRead = false;
	try {
		yield* opened.events();
		isRead = true;
		yield* await conclude(opened, transcript, settle);
	} finally {
		if (!isRead) {
			opened.abandon();
			await conclude(opened, transcript, settle);
		}
	}
}

/** How a process ended that may have run and is gone now. */
const endedByUs = { code: null, signal: 'SIGKILL' } as const;

/** Wait for the exit, stop every process, and return the events of the runner. */
async function conclude(
	exchange: Exchange,
	transcript: Transcript,
	settle: (summary: RunSummary) => void,
): Promise<ToolEvent[]> {
	const end = await exchange.end();
	await exchange.close();
	const closing = transcript.closingEvents(end);
	settle(transcript.summary(end));
	return closing;
}

/** A started exchange, or the error event that says why there is none. */
async function open(
	tool: DiscoveredTool,
	options: RunOptions,
	transcript: Transcript,
): Promise<Exchange | ToolEvent> {
	if (options.signal?.aborted) {
		return syntheticError(tool.id, 'RUNNER_CANCELED', { message: 'Tool was canceled', recoverable: true });
	}
	const { environment = process.env, sandbox, childLimits } = options;
	const request = options.requestText ?? (await requestFor(tool, options));
	if (typeof request !== 'string') return request;
	try {
		return await Exchange.open(
			{ ...recordOf(tool, options), sandbox, limits: childLimits },
			{
				...options,
				requestText: request,
				timeoutMs: options.timeoutMs ?? tool.timeoutMs ?? RUN_TIMEOUT_MS,
				limits: { ...runLimits, ...options.limits },
				transcript,
				environment,
			},
		);
	} catch (error) {
		const { code, message, hint = '' } = missingProgram(tool, environment) ?? OrchestraError.from(error);
		// Only an error of the kind `spawn` says that the tool did not run.
		return code === 'spawn'
			? syntheticError(tool.id, 'TOOL_SPAWN', { message, hint, recoverable: true })
			: syntheticError(tool.id, 'TOOL_OUTCOME_UNKNOWN', { message, hint });
	}
}

function recordOf(tool: DiscoveredTool, { environment = process.env, traceparent }: RunOptions): SpawnRecord {
	const record = spawnRecordOf(tool, environment);
	return traceparent === undefined ? record : { ...record, env: { ...record.env, TRACEPARENT: traceparent } };
}

/** The request line, or the error event when configuration or input will not do. */
async function requestFor(tool: DiscoveredTool, options: RunOptions): Promise<string | ToolEvent> {
	const { config, missing } = settingsOf(tool, options.config ?? {});
	const [key] = missing;
	if (key !== undefined) {
		const keys = missing.map((name) => `"${name}"`).join(', ');
		const message = `Required configuration is missing: ${keys}`;
		const hint = missingConfigHint(missing, options.blockedConfigFolder);
		return syntheticError(tool.id, 'CONFIG_MISSING', {
			message,
			recoverable: true,
			hint,
			keys: [...missing],
		});
	}
	const input = options.input ?? {};
	const wrong = await wrongInput(tool, input);
	if (wrong.length > 0) {
		const message = `Input is not valid: ${wrong.join('; ')}`;
		const hint = fieldsHint(tool, Object.keys(input));
		return syntheticError(tool.id, 'INPUT_INVALID', { message, recoverable: true, hint, problems: wrong });
	}
	const workspaceRoot = options.workspaceRoot ?? process.cwd();
	return JSON.stringify({ context: { toolId: tool.id, config, workspaceRoot }, input });
}

function fieldsHint({ id, inputSchema }: DiscoveredTool, given: readonly string[]): string {
	const properties = inputSchema?.['properties'];
	const names = isObject(properties) ? Object.keys(properties) : [];
	if (names.length === 0) return 'Check your input.';
	const missing = names.filter((name) => !given.includes(name));
	const meant = given.filter((key) => !names.includes(key)).flatMap((key) => nearest(key, missing, 1));
	const guess = meant.length === 0 ? '' : `did you mean: ${meant.join(', ')}. `;
	return `${guess}The fields of ${id} are: ${names.join(', ')}.`;
}

async function wrongInput(tool: DiscoveredTool, input: JsonObject): Promise<string[]> {
	if (tool.inputSchema === undefined) return [];
	try {
		return await validate(tool.inputSchema, input, 'input');
	} catch (error) {
		return [OrchestraError.from(error).message];
	}
}
