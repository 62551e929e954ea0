/*
 * `mctl run` for a tool that no folder has but the hub offers: of a plugin or an MCP server. Its result
 * is put into the events of the Tool Protocol, so that scripts read one form.
 */
import { OrchestraError } from '../errors.ts';
import { rpcErrorOf } from '../rpc/rpc-error.ts';
import { nearest } from '../search/text/nearest.ts';
import type { ToolEvent } from '../tool/event.ts';
import { EXIT_FAILED, type RunSummary, runError } from '../tool/summary.ts';
import { isObject, type JsonObject } from '../wire/json.ts';
import type { CommandInput } from './command.ts';
import { exitCodes } from './exit.ts';
import { listAll, type Offered } from './hub-offers.ts';
import { type HubSession, type NeededBackends, START_WAIT_MS, withHub } from './hub-session.ts';
import { RunView } from './terminal/run-view.ts';

export interface HubToolRun {
	readonly name: string;
	/** Default: the hub's own limit. */
	readonly timeoutMs: number | undefined;
	/** Reads the input once the schema is known. */
	readonly inputFor: (schema: JsonObject | undefined) => Promise<JsonObject>;
	readonly knownIds: readonly string[];
	/** What the hub must have; undefined for everything. */
	readonly needs: NeededBackends | undefined;
}

const CANCELED = 130;
const TIMED_OUT = 124;

/** Run a tool of the hub. Throws `bad_input` when the hub does not have it either. */
export async function runHubTool(run: HubToolRun, input: CommandInput): Promise<void> {
	await withHub(
		input,
		async (session) => {
			await session.find(run.name);
			const tools = await listAll(session, 'tools');
			const tool = tools.find(({ name }) => name === run.name);
			if (tool === undefined) throw await unknownTool(run, session, tools);
			const schema = isObject(tool['inputSchema']) ? (tool['inputSchema'] as JsonObject) : undefined;
			const report = input.flags['json'] ? new JsonReport(input) : new ViewReport(input, run.name);
			const last = await callTool(run, { session, report, input }, await run.inputFor(schema));
			report.end(last);
			if (!input.signal.aborted) process.exitCode = last.exitCode;
		},
		{ listWaitMs: START_WAIT_MS, needs: run.needs },
	);
}

interface Ending {
	readonly event: ToolEvent;
	readonly outcome: RunSummary['outcome'];
	readonly exitCode: number;
}

interface Report {
	event(event: ToolEvent): void;
	end(ending: Ending): void;
}

async function callTool(
	{ name, timeoutMs }: HubToolRun,
	{ session, report, input }: { session: HubSession; report: Report; input: CommandInput },
	values: JsonObject,
): Promise<Ending> {
	report.event(eventOf(name, 'started', {}));
	const onProgress = (params: unknown): void => {
		// What came out of a message is JSON.
		const { progressToken: _, ...payload } = (isObject(params) ? params : {}) as JsonObject;
		report.event(eventOf(name, 'progress', payload));
	};
	const options = { signal: input.signal, onProgress, timeoutMs: timeoutMs ?? Number.POSITIVE_INFINITY };
	try {
		const result = await session.request('tools/call', { name, arguments: values }, options);
		return endingOf(name, isObject(result) ? result : {});
	} catch (thrown) {
		return failureOf(name, thrown);
	}
}

function endingOf(name: string, result: Offered): Ending {
	const payload = payloadOf(result);
	if (result['isError'] !== true)
		return { event: eventOf(name, 'result', payload), outcome: 'ok', exitCode: 0 };
	const message = typeof payload['text'] === 'string' ? payload['text'] : JSON.stringify(payload);
	const event = eventOf(name, 'error', { message, code: 'TOOL_FAILED', recoverable: true });
	return { event, outcome: 'failed', exitCode: EXIT_FAILED };
}

/** Structured content as it is, a single text as `text`, anything else as the content blocks. */
function payloadOf({ structuredContent, content }: Offered): JsonObject {
	// What came out of a message is JSON.
	if (isObject(structuredContent)) return structuredContent as JsonObject;
	const blocks: unknown[] = Array.isArray(content) ? content : [];
	const [only] = blocks;
	const isText = blocks.length === 1 && isObject(only) && typeof only['text'] === 'string';
	return isText ? { text: String(only['text']) } : ({ content: blocks } as JsonObject);
}

function failureOf(name: string, thrown: unknown): Ending {
	const error = OrchestraError.from(thrown);
	const rpc = rpcErrorOf(error);
	const data = isObject(rpc?.data) ? rpc.data : {};
	const kind = typeof data['code'] === 'string' ? data['code'] : error.code;
	const code = Object.hasOwn(exitCodes, kind) ? exitCodes[kind as keyof typeof exitCodes] : EXIT_FAILED;
	const outcome = code === TIMED_OUT ? 'timeout' : code === CANCELED ? 'canceled' : 'crashed';
	const hint = typeof data['hint'] === 'string' ? data['hint'] : error.hint;
	const payload = { message: rpc?.message ?? error.message, code: kind.toUpperCase(), recoverable: false };
	const event = eventOf(name, 'error', hint === undefined ? payload : { ...payload, hint });
	return { event, outcome, exitCode: code };
}

function eventOf(toolId: string, type: string, payload: JsonObject): ToolEvent {
	const event = { type, ts: new Date().toISOString(), toolId, payload };
	return { ...event, raw: Buffer.from(`${JSON.stringify(event)}\n`), isSynthetic: true };
}

class JsonReport implements Report {
	readonly #out: CommandInput['out'];

	constructor({ out }: CommandInput) {
		this.#out = out;
	}

	event({ raw }: ToolEvent): void {
		void this.#out.write(raw);
	}

	end({ event }: Ending): void {
		this.event(event);
	}
}

class ViewReport implements Report {
	readonly #view: RunView;
	readonly #startedAt = performance.now();

	constructor({ out }: CommandInput, name: string) {
		this.#view = new RunView(out);
		this.#view.start(name);
	}

	event(event: ToolEvent): void {
		this.#view.event(event);
	}

	end({ event, outcome, exitCode }: Ending): void {
		this.#view.end({
			toolId: event.toolId,
			outcome,
			exitCode,
			result: event.type === 'result' ? event.payload : undefined,
			error: event.type === 'error' ? runError(event) : undefined,
			artifacts: [],
			exit: null,
			eventCount: 0,
			malformedCount: 0,
			unexpectedCount: 0,
			warnings: [],
			elapsedMs: performance.now() - this.#startedAt,
			firstEventMs: undefined,
		});
	}
}

async function unknownTool(
	run: HubToolRun,
	session: HubSession,
	tools: readonly Offered[],
): Promise<OrchestraError> {
	const ids = [...new Set([...run.knownIds, ...tools.map(({ name }) => String(name))])];
	const guesses = nearest(run.name, ids);
	// The hub knows which plugins are down.
	const said = await session
		.request('tools/call', { name: run.name, arguments: {} })
		.catch((error: unknown) => error);
	const refusal = refusalOf(said);
	if (refusal !== undefined) return refusal;
	const why = rpcErrorOf(said)?.message.replace(/^Unknown tool: [^.]*\.? ?/, '') ?? '';
	return new OrchestraError('bad_input', `there is no tool "${run.name}"${why && `. ${why}`}`, {
		hint: guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : 'mctl list shows the tools',
		data: { tool: run.name, nearest: guesses },
	});
}

/** A tool that is not listed and gives a failed result is held back: the text says why, and what to do. */
function refusalOf(said: unknown): OrchestraError | undefined {
	if (!isObject(said) || said['isError'] !== true || !Array.isArray(said['content'])) return undefined;
	const [block]: unknown[] = said['content'];
	const text = isObject(block) ? String(block['text']) : '';
	return new OrchestraError('tool_failed', text, { hint: 'mctl list shows the tools that are offered' });
}
