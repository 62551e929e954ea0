/*
 * `mctl run` for a tool that no folder has: of a plugin, an MCP server or another machine. It is found
 * and called as by `mctl call`, and its result is put into the events of the Tool Protocol, so that
 * scripts read one form.
 */
import { OrchestraError } from '../../errors.ts';
import type { ToolEvent } from '../../tool/event.ts';
import { EXIT_FAILED, type RunSummary, runError } from '../../tool/summary.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import type { CommandInput } from '../command.ts';
import { exitCodes } from '../exit.ts';
import type { ListedItem } from '../hub-client/hub-items.ts';
import { RunView } from '../terminal/run-view.ts';
import { callTool, type ToolCall } from './call-tool.ts';

/** Run a tool that is called over MCP. Resolves to its exit code. Throws `bad_input` when there is none of this name. */
export async function runHubTool(call: ToolCall, input: CommandInput): Promise<number> {
	const { out } = input;
	const view = input.flags['json'] ? undefined : new RunView(out);
	let name = '';
	const show = (event: ToolEvent): void => (view ? view.event(event) : void out.write(event.raw));
	const report = {
		start(tool: string): void {
			name = tool;
			view?.start(tool);
			show(eventOf(tool, 'started', {}));
		},
		progress(params: unknown): void {
			// What came out of a message is JSON.
			const { progressToken: _, ...payload } = (isObject(params) ? params : {}) as JsonObject;
			show(eventOf(name, 'progress', payload));
		},
		log: () => {},
		clear: () => {},
	};
	const { tool, result } = await callTool(call, report, input);
	const { event, outcome, exitCode } =
		result instanceof OrchestraError ? failureOf(tool, result) : endingOf(tool, result);
	if (!view) show(event);
	view?.end({
		toolId: tool,
		outcome,
		result: event.type === 'result' ? event.payload : undefined,
		error: event.type === 'error' ? runError(event) : undefined,
		malformedCount: 0,
	});
	return exitCode;
}

interface Ending {
	readonly event: ToolEvent;
	readonly outcome: RunSummary['outcome'];
	readonly exitCode: number;
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

function failureOf(name: string, { code, message, hint, data }: OrchestraError): Ending {
	const outcome = code === 'timeout' || code === 'canceled' ? code : 'crashed';
	const event = eventOf(name, 'error', {
		message,
		code: code.toUpperCase(),
		recoverable: false,
		...(typeof data['outcome'] === 'string' && { outcome: data['outcome'] }),
		...(hint !== undefined && { hint }),
	});
	return { event, outcome, exitCode: exitCodes[code] };
}

function eventOf(toolId: string, type: string, payload: JsonObject): ToolEvent {
	const event = { type, ts: new Date().toISOString(), toolId, payload };
	return { ...event, raw: Buffer.from(`${JSON.stringify(event)}\n`), isSynthetic: true };
}
