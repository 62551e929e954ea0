/*
 * `mctl run` for a tool that no folder has: of a plugin, an MCP server or another machine. It is found
 * and called as by `mctl call`, and its result is put into the events of the Tool Protocol, so that
 * scripts read one form.
 */
import { OrchestraError, requestOutcomeOf } from '../../errors.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import type { ToolEvent } from '../../tool/event.ts';
import { EXIT_FAILED, type RunSummary, runError } from '../../tool/summary.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import type { CommandInput } from '../command.ts';
import { exitCodes } from '../exit.ts';
import type { ListedItem } from '../hub-client/hub-items.ts';
import { type CallSession, withTools } from '../target/call-session.ts';
import type { CallTarget } from '../target/call-target.ts';
import { findTarget, nameOf } from '../target/find-target.ts';
import { RunView } from '../terminal/run-view.ts';
import { handlersOf } from './call.ts';

export interface HubToolRun {
	readonly target: CallTarget;
	/** Default: the limit of the hub or of the server. */
	readonly timeoutMs: number | undefined;
	/** Reads the input once the schema is known. */
	readonly inputFor: (tool: ListedItem) => Promise<JsonObject>;
	/** Suggested when there is no such tool. */
	readonly otherNames: readonly string[];
}

const CANCELED = 130;
const TIMED_OUT = 124;

/** Run a tool that is called over MCP. Resolves to its exit code. Throws `bad_input` when there is none of this name. */
export async function runHubTool(run: HubToolRun, input: CommandInput): Promise<number> {
	const { target, timeoutMs, inputFor, otherNames } = run;
	const handlers = handlersOf({ clear: () => {}, log: () => {} }, input);
	return withTools(target, input, handlers, async (session) => {
		const tool = await findTarget(target, session, input, otherNames);
		const name = nameOf(tool);
		const values = await inputFor(tool);
		const report = input.flags['json'] ? new JsonReport(input) : new ViewReport(input, name);
		const last = await callTool({ name, values, timeoutMs }, { session, report, input });
		report.end(last);
		return last.exitCode;
	});
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
	{ name, values, timeoutMs }: { name: string; values: JsonObject; timeoutMs: number | undefined },
	{ session, report, input }: { session: CallSession; report: Report; input: CommandInput },
): Promise<Ending> {
	report.event(eventOf(name, 'started', {}));
	const onProgress = (params: unknown): void => {
		// What came out of a message is JSON.
		const { progressToken: _, ...payload } = (isObject(params) ? params : {}) as JsonObject;
		report.event(eventOf(name, 'progress', payload));
	};
	const options = { signal: input.signal, onProgress, maxTotalMs: timeoutMs };
	try {
		return endingOf(name, await session.callTool(name, values, options));
	} catch (thrown) {
		return failureOf(name, thrown);
	}
}

function endingOf(name: string, result: ListedItem): Ending {
	const payload = payloadOf(result);
	if (result['isError'] !== true)
		return { event: eventOf(name, 'result', payload), outcome: 'ok', exitCode: 0 };
	const message = typeof payload['text'] === 'string' ? payload['text'] : JSON.stringify(payload);
	const event = eventOf(name, 'error', { message, code: 'TOOL_FAILED', recoverable: true });
	return { event, outcome: 'failed', exitCode: EXIT_FAILED };
}

/** Structured content as it is, a single text as `text`, anything else as the content blocks. */
function payloadOf({ structuredContent, content }: ListedItem): JsonObject {
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
	const ran = typeof data['outcome'] === 'string' ? data['outcome'] : requestOutcomeOf(error);
	const more = { ...(ran !== undefined && { outcome: ran }), ...(hint !== undefined && { hint }) };
	const event = eventOf(name, 'error', { ...payload, ...more });
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
