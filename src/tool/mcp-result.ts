/*
 * A run as MCP sees it: the result of `tools/call`, and the notifications on the way.
 *
 * Plain data, independent of the revision: the MCP session adds the
 * token, the logger's name, and leaves out what its revision does not have.
 */
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OrchestraError } from '../errors.ts';
import {
	type CallProgress,
	type CallToolResult,
	type ContentBlock,
	failure,
	type McpLogLevel,
} from '../protocol/mcp-types.ts';
import type { JsonObject } from '../wire/json.ts';
import { encodeJson } from '../wire/json-text.ts';
import { payloadText, type ToolEvent } from './event.ts';
import type { RunSummary } from './summary.ts';
import type { DiscoveredTool } from './tool.ts';

/**
 * The result of `tools/call`. Paths of artifacts are taken from `workspaceRoot`. Structured content is sent only for a
 * tool that declares an `outputSchema`: agents that get it show the model nothing else.
 */
export function mcpResultOf(
	summary: RunSummary,
	workspaceRoot: string,
	{ outputSchema }: Pick<DiscoveredTool, 'outputSchema'> = {},
): CallToolResult {
	const { result, outcome } = summary;
	const files = summary.artifacts.flatMap((payload) => linkTo(payload, workspaceRoot));
	const contentOf = (text: string): ContentBlock[] => [
		{ type: 'text', text: withPaths(text, files) },
		...files.map(({ link }) => link),
	];
	if (outcome !== 'ok' || result === undefined)
		return { content: contentOf(errorText(summary)), isError: true };
	const { text } = result;
	const content = contentOf(typeof text === 'string' ? text : encodeJson(result));
	return outputSchema ? { content, structuredContent: result } : { content };
}

/** A failure before the tool ran, as a result that the model can read. */
export function mcpFailureOf(error: unknown): CallToolResult {
	const { message, hint } = OrchestraError.from(error);
	return failure(hint === undefined ? message : `${message}\nHint: ${hint}`);
}

/** Several agents drop links, so the paths are in the text as well. */
function withPaths(text: string, files: readonly LinkedFile[]): string {
	const unmentioned = files.filter(({ path }) => !text.includes(path)).map(({ path }) => `- ${path}`);
	return unmentioned.length === 0 ? text : [text, '', 'Files:', ...unmentioned].join('\n');
}

/** Params of `notifications/progress`, without the token, for a `progress` event. */
export function mcpProgressOf({ type, payload }: ToolEvent): CallProgress | undefined {
	const { progress, total, message } = payload;
	if (type !== 'progress' || typeof progress !== 'number') return undefined;
	return {
		progress,
		...(typeof total === 'number' && { total }),
		...(typeof message === 'string' && { message }),
	};
}

const levels: ReadonlyMap<string, McpLogLevel> = new Map([
	['debug', 'debug'],
	['info', 'info'],
	['warn', 'warning'],
	['error', 'error'],
]);

/** Params of `notifications/message` for a `log` event. */
export function mcpLogOf(
	event: ToolEvent,
): { level: McpLogLevel; logger: string; data: unknown } | undefined {
	if (event.type !== 'log') return undefined;
	const { data } = event.payload;
	const message = payloadText(event.payload, 'message');
	return {
		level: levels.get(payloadText(event.payload, 'level')) ?? 'info',
		logger: event.toolId,
		data: data === undefined ? message : { message, data },
	};
}

/** The next step of a user after a failed run. */
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

interface LinkedFile {
	/** Absolute. */
	readonly path: string;
	readonly link: ContentBlock;
}

function linkTo(payload: JsonObject, workspaceRoot: string): LinkedFile[] {
	const { path: given, name, mimeType } = payload;
	if (typeof given !== 'string' || given === '') return [];
	const path = isAbsolute(given) ? given : resolve(workspaceRoot, given);
	const link: ContentBlock = {
		type: 'resource_link',
		uri: pathToFileURL(path).href,
		name: typeof name === 'string' ? name : (given.split(/[/\\]/).pop() ?? given),
		...(typeof mimeType === 'string' && { mimeType }),
	};
	return [{ path, link }];
}
