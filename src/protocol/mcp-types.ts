/*
 * The MCP types that this code reads or builds.
 *
 * They are open: unknown fields of a tool or a result are passed on unchanged. Only
 * the fields that this code reads are declared.
 */
import type { JsonObject } from '../wire/json.ts';
import { JsonText } from '../wire/json-text.ts';

type Open = { [key: string]: unknown };

/** Any result of a request. */
export type Result = Record<string, unknown>;

/** The result of a request, as a value or, when it is passed on, as the text of a server. */
export type Answer = Result | JsonText;

/** What an answer says. The value is only looked at. */
export function answerValue(answer: Answer): Result {
	return answer instanceof JsonText ? (answer.value as Result) : answer; // an answer is an object
}

/** What an answer says, to be copied and changed: its parts are still written as they were. */
export function exactAnswer(answer: Answer): Result {
	return answer instanceof JsonText ? (answer.exact as Result) : answer; // an answer is an object
}

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Name and version of a client or server. */
export interface Implementation extends Open {
	name: string;
	version: string;
	title?: string;
}

/** A tool as `tools/list` describes it. */
export interface Tool extends Open {
	name: string;
	title?: string;
	description?: string;
	inputSchema: JsonObject;
	outputSchema?: JsonObject;
	annotations?: Open;
}

/** A resource as `resources/list` describes it. */
export interface Resource extends Open {
	uri: string;
	name: string;
	title?: string;
	description?: string;
	mimeType?: string;
}

/** A resource template as `resources/templates/list` describes it. */
export interface ResourceTemplate extends Open {
	uriTemplate: string;
	name: string;
}

/** A skill as `skills/list` describes it: the URI of its SKILL.md, the front matter of that, and all its files. */
export interface Skill extends Open {
	uri: string;
	frontmatter: Readonly<Record<string, unknown>>;
	/** `dynamic`: the server cannot say. */
	resources: readonly SkillFile[] | 'dynamic';
}

/** A file of a skill. */
export interface SkillFile extends Open {
	uri: string;
	/** `sha256:` and 64 hexadecimal digits. */
	digest: string;
	/** Bytes. */
	size: number;
}

/** A prompt as `prompts/list` describes it. */
export interface Prompt extends Open {
	name: string;
	title?: string;
	description?: string;
	arguments?: { name: string; description?: string; required?: boolean }[];
}

/** An icon for display. */
export interface Icon {
	src: string;
	mimeType?: string;
	sizes?: readonly string[];
	theme?: 'light' | 'dark';
}

/** Audience and priority of content. */
export interface Annotations {
	audience?: readonly ('user' | 'assistant')[];
	/** A number from 0 to 1. */
	priority?: number;
	/** ISO 8601. */
	lastModified?: string;
}

/** Hints about the effects of a tool: clients use them to decide what the user must confirm. */
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

/** One block of content in the result of a tool or prompt. */
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

/** The result of `tools/call`. */
export type CallToolResult = {
	content: ContentBlock[];
	/** The value that `outputSchema` describes. */
	structuredContent?: unknown;
	isError?: boolean;
	_meta?: Readonly<Record<string, unknown>>;
};

/** The result of a tool with these texts. */
export function textResult(...texts: readonly string[]): CallToolResult {
	return { content: texts.map((text) => ({ type: 'text', text })) };
}

/** The failed result of a tool with this text. */
export function failure(text: string): CallToolResult {
	return { ...textResult(text), isError: true };
}

/** The texts of a result, without its other content. */
export function textsOf({ content }: Pick<CallToolResult, 'content'>): string[] {
	return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

/** The progress of a call. */
export interface CallProgress {
	progress: number;
	total?: number;
	message?: string;
}

/** The result of `resources/read`. */
export type ReadResourceResult = {
	contents: ResourceContent[];
	_meta?: Readonly<Record<string, unknown>>;
};

/** The result of `prompts/get`. */
export type GetPromptResult = {
	description?: string;
	messages: { role: 'user' | 'assistant'; content: ContentBlock }[];
	_meta?: Readonly<Record<string, unknown>>;
};

/** The result of `completion/complete`. */
export interface CompleteResult extends Open {
	completion: { values: string[]; total?: number; hasMore?: boolean };
}

/** A request for input inside `inputRequests`. */
export interface InputRequest {
	method: string;
	params?: Open | undefined;
}

/** A result that asks the client for input; the client retries with the answers. */
export interface InputRequired extends Open {
	resultType: 'input_required';
	inputRequests?: Record<string, InputRequest>;
	requestState?: string;
}

/** The capabilities of a server. */
export interface ServerCapabilities extends Open {
	tools?: Open;
	resources?: Open;
	prompts?: Open;
	completions?: Open;
	logging?: Open;
	extensions?: Open;
}

/** Extensions by identifier, each with its settings. */
export type Extensions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Whether a result asks the client for input. */
export function isInputRequired(result: Open): result is InputRequired {
	return result['resultType'] === 'input_required';
}

/** The eight log levels of MCP, least severe first. */
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

/** A log level of MCP. */
export type McpLogLevel = (typeof logLevels)[number];

/** Whether a value is a log level of MCP. */
export function isLogLevel(value: unknown): value is McpLogLevel {
	return logLevels.some((level) => level === value);
}
