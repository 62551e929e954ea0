/*
 * A run as MCP sees it: the answer of `tools/call`, and the notifications on the way.
 *
 * Plain data, and no knowledge of any revision: whoever speaks MCP adds the
 * token, the logger's name, and leaves out what its revision does not have.
 */
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../wire/json.ts';
import { payloadText, type ToolEvent } from './event.ts';
import type { RunSummary } from './summary.ts';

export type McpContent =
	| { type: 'text'; text: string }
	| { type: 'resource_link'; uri: string; name: string; mimeType?: string };

export interface McpToolResult {
	content: McpContent[];
	structuredContent?: JsonObject;
	isError?: true;
}

/** The answer to `tools/call`. Paths of artifacts are taken from `workspaceRoot`. */
export function mcpResultOf(summary: RunSummary, workspaceRoot: string): McpToolResult {
	const links = summary.artifacts.flatMap((payload) => linkTo(payload, workspaceRoot));
	if (summary.outcome !== 'ok') {
		return { content: [{ type: 'text', text: errorText(summary) }, ...links], isError: true };
	}
	const { result } = summary;
	if (result === undefined) {
		const text = `${summary.toolId} ended without a result`;
		return { content: [{ type: 'text', text }, ...links] };
	}
	const { text } = result;
	const shown = typeof text === 'string' ? text : JSON.stringify(result);
	return { content: [{ type: 'text', text: shown }, ...links], structuredContent: result };
}

export interface McpProgress {
	progress: number;
	total?: number;
	message?: string;
}

/**
 * Params of `notifications/progress`, without the token, for a `progress` or `log` event. A log line is no
 * progress, only a word on the way: whoever tells it sees to it that the number rises, as the protocol wants.
 */
export function mcpProgressOf({ type, payload }: ToolEvent): McpProgress | undefined {
	const message = typeof payload['message'] === 'string' ? { message: payload['message'] } : {};
	if (type === 'log') return { progress: 0, ...message };
	const { progress, total } = payload;
	if (type !== 'progress' || typeof progress !== 'number') return undefined;
	return { progress, ...(typeof total === 'number' && { total }), ...message };
}

const levels: ReadonlyMap<string, string> = new Map([
	['debug', 'debug'],
	['info', 'info'],
	['warn', 'warning'],
	['error', 'error'],
]);

/** Params of `notifications/message` for a `log` event. */
export function mcpLogOf(event: ToolEvent): { level: string; logger: string; data: unknown } | undefined {
	if (event.type !== 'log') return undefined;
	const { data } = event.payload;
	const message = payloadText(event.payload, 'message');
	return {
		level: levels.get(payloadText(event.payload, 'level')) ?? 'info',
		logger: event.toolId,
		data: data === undefined ? message : { message, data },
	};
}

/** What a person can do about a failed run. */
export function hintFor(summary: Pick<RunSummary, 'toolId' | 'error' | 'outcome'>): string {
	if (summary.outcome === 'timeout') return 'Give it more time: --timeout, or timeoutMs in its manifest.';
	if (summary.outcome === 'canceled') return 'Nothing is left running.';
	if (summary.error?.hint !== undefined) return summary.error.hint;
	return summary.error?.isRecoverable
		? 'Check your configuration or input.'
		: `This is a bug of the tool ${summary.toolId}, not of your input.`;
}

function errorText(summary: RunSummary): string {
	const { message = 'Tool failed', code, stderr = [] } = summary.error ?? {};
	const lines = [code === undefined ? message : `${message} [${code}]`, `Hint: ${hintFor(summary)}`];
	if (stderr.length > 0) lines.push('Last lines of stderr:', ...stderr);
	return lines.join('\n');
}

function linkTo(payload: JsonObject, workspaceRoot: string): McpContent[] {
	const { path, name, mimeType } = payload;
	if (typeof path !== 'string' || path === '') return [];
	const uri = pathToFileURL(isAbsolute(path) ? path : resolve(workspaceRoot, path)).href;
	return [
		{
			type: 'resource_link',
			uri,
			name: typeof name === 'string' ? name : (path.split(/[/\\]/).pop() ?? path),
			...(typeof mimeType === 'string' && { mimeType }),
		},
	];
}
