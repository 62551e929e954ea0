/*
 * The shapes of MCP that this code reads or builds.
 *
 * They are open on purpose: what a server adds to a tool or a result, known to us
 * or not, is passed on whole. Only the fields that we look at are named.
 */
import type { JsonObject } from '../wire/json.ts';

type Open = { [key: string]: unknown };

/** Any result of a request. */
export type Result = Record<string, unknown>;

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

export interface Implementation extends Open {
	name: string;
	version: string;
	title?: string;
}

export interface Tool extends Open {
	name: string;
	title?: string;
	description?: string;
	inputSchema: JsonObject;
	outputSchema?: JsonObject;
	annotations?: Open;
}

export interface Resource extends Open {
	uri: string;
	name: string;
	title?: string;
	description?: string;
	mimeType?: string;
}

export interface ResourceTemplate extends Open {
	uriTemplate: string;
	name: string;
}

export interface Prompt extends Open {
	name: string;
	title?: string;
	description?: string;
	arguments?: { name: string; description?: string; required?: boolean }[];
}

export interface ContentBlock extends Open {
	type: string;
}

export interface CallToolResult extends Open {
	content: ContentBlock[];
	structuredContent?: unknown;
	isError?: boolean;
}

export interface ReadResourceResult extends Open {
	contents: Open[];
}

export interface GetPromptResult extends Open {
	description?: string;
	messages: { role: string; content: ContentBlock }[];
}

export interface CompleteResult extends Open {
	completion: { values: string[]; total?: number; hasMore?: boolean };
}

/** A question to the client, as it stands inside `inputRequests`. */
export interface InputRequest {
	method: string;
	params?: Open | undefined;
}

/** What a provider answers when it needs something from the client first. */
export interface InputRequired extends Open {
	resultType: 'input_required';
	inputRequests?: Record<string, InputRequest>;
	requestState?: string;
}

export interface ServerCapabilities extends Open {
	tools?: Open;
	resources?: Open;
	prompts?: Open;
	completions?: Open;
	logging?: Open;
}

export function isInputRequired(result: Open): result is InputRequired {
	return result['resultType'] === 'input_required';
}

/** The eight levels of MCP, least important first. */
export const logLevels = [
	'debug',
	'info',
	'notice',
	'warning',
	'error',
	'critical',
	'alert',
	'emergency',
] as const;

export type McpLogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is McpLogLevel {
	return logLevels.some((level) => level === value);
}
