/*
 * Does a tool keep the protocol? A few runs, one for each rule.
 *
 * Every finding says what was seen and what to do, for the author of a tool for
 * the first time. A `fail` breaks the protocol; a `warn` works, but not well.
 */
import { messageOf } from '../errors.ts';
import { crashReason } from '../process/crash-lines.ts';
import { compile, validate } from '../schema/validate.ts';
import type { JsonObject } from '../wire/json.ts';
import { knownEvent, type ToolEvent } from './event.ts';
import { mistypedKeys } from './manifest.ts';
import { type RunOptions, runTool } from './run.ts';
import { CHECK_TIMEOUT_MS, SLOW_START_MS } from './run-limits.ts';
import type { RunSummary } from './summary.ts';
import type { DiscoveredTool } from './tool.ts';

/** One result of a conformance check. */
export interface Finding {
	readonly verdict: 'ok' | 'warn' | 'fail';
	/** The subject of the check. */
	readonly title: string;
	/** The observation. */
	readonly detail: string;
	/** The next step of the user. */
	readonly advice?: string | undefined;
}

/** Options of a conformance check. */
export interface CheckOptions {
	/** An input that the tool should succeed with. */
	readonly input: JsonObject;
	readonly config: Readonly<Record<string, unknown>>;
	readonly workspaceRoot: string;
	readonly signal?: AbortSignal | undefined;
}

/** Run a tool against the protocol. Yields findings as they are made. */
export async function* checkTool(tool: DiscoveredTool, options: CheckOptions): AsyncGenerator<Finding> {
	const { folder: _folder, file: _file, runsOn: _runsOn, ...manifest } = tool;
	for (const { key, meant } of mistypedKeys(manifest)) {
		const advice = `Write ${meant} in ${tool.file}.`;
		yield {
			verdict: 'warn',
			title: 'manifest',
			detail: `"${key}" is ignored; did you mean ${meant}`,
			advice,
		};
	}
	yield* checkSchemas(tool);
	// First, because a first start may compile the tool or fill a cache, and the next run is timed.
	const malformed = await checkBadRequest(tool, options, 'malformed request', '{"context": not json\n');
	yield* checkGoodRun(tool, options);
	yield malformed;
	yield await checkBadRequest(tool, options, 'empty request', '');
	if ((tool.requiredConfig ?? []).length > 0) yield await checkMissingConfig(tool, options);
}

async function* checkSchemas(tool: DiscoveredTool): AsyncGenerator<Finding> {
	for (const key of ['inputSchema', 'outputSchema'] as const) {
		const title = key;
		const schema = tool[key];
		if (schema === undefined) {
			const advice = 'Declare it, so that wrong input is refused before the tool starts.';
			if (key === 'inputSchema') yield { verdict: 'warn', title, detail: 'not declared', advice };
			continue;
		}
		try {
			await compile(schema);
			yield { verdict: 'ok', title, detail: 'is JSON Schema 2020-12' };
		} catch (error) {
			yield { verdict: 'fail', title, detail: messageOf(error), advice: `Correct ${key} in ${tool.file}.` };
		}
	}
}

async function* checkGoodRun(tool: DiscoveredTool, options: CheckOptions): AsyncGenerator<Finding> {
	const { events, summary } = await record(tool, options, {});
	yield checkExit(summary);
	if (summary.outcome === 'not_started') return;
	yield checkFirstEvent(events, summary);
	yield checkStrays(summary);
	yield* checkFields(tool, events);
	for (const { kind, message } of summary.warnings) {
		const advice = 'Exit 0 goes with a result event, exit 1 with an error event; every toolId is the own id.';
		if (kind === 'contradiction') yield { verdict: 'fail', title: 'contradiction', detail: message, advice };
	}
	if (tool.outputSchema && summary.result) yield await checkResult(tool.outputSchema, summary.result);
}

function checkExit({ outcome, exitCode, error }: RunSummary): Finding {
	const title = 'a normal run';
	if (outcome === 'ok') return { verdict: 'ok', title, detail: 'exit 0' };
	const code = error?.code === undefined ? '' : ` [${error.code}]`;
	const reason = crashReason(error?.stderr ?? []) ?? error?.stderr.at(-1);
	const detail = `exit ${exitCode}: ${error?.message ?? outcome}${code}${reason === undefined ? '' : `: ${reason}`}`;
	const advice = error?.isRecoverable
		? 'Put an input that must work into test-input.json beside the manifest, or give --input.'
		: error?.code === 'TOOL_NO_RESULT'
			? 'Print a result event before it exits with 0.'
			: 'Run it with mctl run and read its stderr.';
	return { verdict: 'fail', title, detail, advice };
}

function checkFirstEvent(events: readonly ToolEvent[], { firstEventMs }: RunSummary): Finding {
	const title = 'started first';
	const first = events.find((event) => !event.isSynthetic);
	if (first === undefined || firstEventMs === undefined) {
		const advice = 'Print a started event before anything else.';
		return { verdict: 'fail', title, detail: 'no event came', advice };
	}
	const detail = `${first.type} after ${firstEventMs.toFixed(0)} ms`;
	if (first.type !== 'started') {
		return { verdict: 'fail', title, detail, advice: 'Print a started event before anything else.' };
	}
	const advice = 'Print started before loading what is slow.';
	return firstEventMs > SLOW_START_MS
		? { verdict: 'warn', title, detail, advice }
		: { verdict: 'ok', title, detail };
}

function checkStrays({ malformedCount, unexpectedCount, warnings }: RunSummary): Finding {
	const title = 'nothing but events on stdout';
	const count = malformedCount + unexpectedCount;
	if (count === 0) return { verdict: 'ok', title, detail: 'no stray lines' };
	const [first] = warnings.filter(({ kind }) => kind !== 'contradiction');
	const advice = 'Print to stderr what is for users, and flush after each event.';
	return { verdict: 'fail', title, detail: `${count} stray: ${first?.message ?? ''}`, advice };
}

function* checkFields(tool: DiscoveredTool, events: readonly ToolEvent[]): Generator<Finding> {
	const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
	const wrong = events.find(({ ts }) => !isIso.test(ts));
	if (wrong) {
		const advice = 'Write it as 2025-02-25T10:00:00.000Z: UTC, with milliseconds.';
		yield { verdict: 'warn', title: 'ts', detail: `"${wrong.ts}" on a ${wrong.type} event`, advice };
	}
	const log = events.find((event) => event.type === 'log' && knownEvent(event) === undefined);
	if (log) {
		const detail = `a log event with ${JSON.stringify(log.payload).slice(0, 100)}`;
		const advice = 'A log has a level (debug, info, warn, error) and a message.';
		yield { verdict: 'warn', title: 'log', detail, advice };
	}
	if (!wrong && !log && events.length > 0) {
		yield { verdict: 'ok', title: 'fields', detail: `${events.length} events of ${tool.id} are well formed` };
	}
}

async function checkResult(schema: JsonObject, result: JsonObject): Promise<Finding> {
	const title = 'result';
	const wrong = await Promise.resolve(validate(schema, result, 'result')).catch((error: unknown) => [
		messageOf(error),
	]);
	if (wrong.length === 0) return { verdict: 'ok', title, detail: 'fits outputSchema' };
	return { verdict: 'fail', title, detail: wrong.join('; '), advice: 'Correct outputSchema or the result.' };
}

async function checkBadRequest(
	tool: DiscoveredTool,
	options: CheckOptions,
	title: string,
	requestText: string,
): Promise<Finding> {
	const { summary } = await record(tool, options, { requestText });
	const advice = 'Parse stdin in a try; when it is no JSON, print an error event and exit 1.';
	if (summary.outcome === 'failed' && summary.error?.code !== 'TOOL_FAILED') {
		return { verdict: 'ok', title, detail: 'an error event and exit 1' };
	}
	const isHarmless =
		summary.outcome === 'ok' || summary.outcome === 'failed' || summary.outcome === 'crashed';
	const detail = `expected an error event and exit 1, saw exit ${summary.exitCode} (${summary.outcome})`;
	return { verdict: isHarmless ? 'warn' : 'fail', title, detail, advice };
}

async function checkMissingConfig(tool: DiscoveredTool, options: CheckOptions): Promise<Finding> {
	const title = 'missing configuration';
	const context = { toolId: tool.id, config: {}, workspaceRoot: options.workspaceRoot };
	const requestText = JSON.stringify({ context, input: options.input });
	const { summary } = await record(tool, options, { requestText });
	if (summary.outcome === 'failed') return { verdict: 'ok', title, detail: 'an error event and exit 1' };
	const detail = `expected exit 1, saw exit ${summary.exitCode} (${summary.outcome})`;
	const advice = `Look for ${(tool.requiredConfig ?? []).join(', ')} and say what is missing.`;
	return { verdict: 'warn', title, detail, advice };
}

async function record(
	tool: DiscoveredTool,
	options: CheckOptions,
	more: RunOptions,
): Promise<{ events: ToolEvent[]; summary: RunSummary }> {
	const events: ToolEvent[] = [];
	const timeoutMs = Math.max(CHECK_TIMEOUT_MS, tool.timeoutMs ?? 0);
	const run = runTool(tool, { ...options, timeoutMs, ...more });
	for await (const event of run) events.push(event);
	return { events, summary: await run.summary };
}
