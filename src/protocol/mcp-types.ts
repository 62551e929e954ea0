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

/** A picture for people to recognize something by. */
export interface Icon {
	src: string;
	mimeType?: string;
	sizes?: readonly string[];
	theme?: 'light' | 'dark';
}

/** Whom something is for, and how important it is. */
export interface Annotations {
	audience?: readonly ('user' | 'assistant')[];
	/** From 0 to 1. */
	priority?: number;
	/** ISO 8601. */
	lastModified?: string;
}

/** What a tool does to the world, as hints: clients decide by them what to ask a person. */
export interface ToolAnnotations {
	title?: string;
	readOnlyHint?: boolean;
	destructiveHint?: boolean;
	idempotentHint?: boolean;
	openWorldHint?: boolean;
}

interface Block {
	annotations?: Annotations;
	_meta?: Readonly<Record<string, unknown>>;
}

/** Content of a resource: text, or bytes in base64. */
export type ResourceContent = Block & { uri: string; mimeType?: string } & (
		| { text: string; blob?: never }
		| { blob: string; text?: never }
	);

/** One piece of what a tool or prompt says. */
export type ContentBlock =
	| (Block & { type: 'text'; text: string })
	| (Block & { type: 'image' | 'audio'; data: string; mimeType: string })
	| (Block & {
			type: 'resource_link';
			uri: string;
			name: string;
			title?: string;
			description?: string;
			mimeType?: string;
			size?: number;
			icons?: readonly Icon[];
	  })
	| (Block & { type: 'resource'; resource: ResourceContent });

/** The result of a tool, whole. */
export type CallToolResult = {
	content: ContentBlock[];
	/** What the tool's `outputSchema` describes. */
	structuredContent?: unknown;
	isError?: boolean;
	_meta?: Readonly<Record<string, unknown>>;
};

/** The content of a resource, whole. */
export type ReadResourceResult = {
	contents: ResourceContent[];
	_meta?: Readonly<Record<string, unknown>>;
};

/** A prompt that is filled in. */
export type GetPromptResult = {
	description?: string;
	messages: { role: 'user' | 'assistant'; content: ContentBlock }[];
	_meta?: Readonly<Record<string, unknown>>;
};

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
