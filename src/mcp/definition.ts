/*
 * A server as data: tools, resources and prompts with the functions behind them.
 * What a function returns may be as short as it likes: a text becomes a text block,
 * any other value becomes structured content.
 */
import type { JsonObject } from '../wire/json.ts';
import type { CallContext } from './call-context.ts';
import type { Awaitable, GetPromptResult, InputRequired, Prompt, ReadResourceResult } from './types.ts';

interface Described {
	title?: string;
	description?: string;
	/** Icons, annotations and whatever else the client shall see. */
	[field: string]: unknown;
}

export interface ToolDefinition extends Described {
	/** JSON Schema of the arguments; an open object by default. Arguments are checked before `run`. */
	inputSchema?: JsonObject;
	outputSchema?: JsonObject;
	/** A text, any JSON value, or a whole result. What it throws becomes a result with `isError`. */
	run: (input: never, context: CallContext) => Awaitable<unknown>;
}

export interface ResourceDefinition extends Described {
	/** Default: the URI. */
	name?: string;
	mimeType?: string;
	read: (context: CallContext) => Awaitable<string | Uint8Array | ReadResourceResult | InputRequired>;
}

export interface TemplateDefinition extends Described {
	/** Default: the template. */
	name?: string;
	mimeType?: string;
	/** Gets the values of the variables. Undefined means that there is no such resource. */
	read: (
		variables: Record<string, string>,
		context: CallContext,
	) => Awaitable<string | Uint8Array | ReadResourceResult | undefined>;
	/** Values for one variable that begin with what was typed. */
	complete?: (variable: string, typed: string) => Awaitable<string[]>;
}

export interface PromptDefinition extends Described {
	arguments?: NonNullable<Prompt['arguments']>;
	/** A text for one user message, or a whole result. */
	get: (
		input: Record<string, string>,
		context: CallContext,
	) => Awaitable<string | GetPromptResult | InputRequired>;
	/** Values for one argument that begin with what was typed. */
	complete?: (argument: string, typed: string, context: Record<string, string>) => Awaitable<string[]>;
}

export interface ServerDefinition {
	name: string;
	version: string;
	title?: string;
	description?: string;
	websiteUrl?: string;
	icons?: readonly JsonObject[];
	/** How to use the server, for the model. */
	instructions?: string;
	/** By name. What is added later is seen after `tell`. */
	tools?: Readonly<Record<string, ToolDefinition>>;
	/** By URI. */
	resources?: Readonly<Record<string, ResourceDefinition>>;
	/** By URI template: `notes://{id}`. */
	templates?: Readonly<Record<string, TemplateDefinition>>;
	/** By name. */
	prompts?: Readonly<Record<string, PromptDefinition>>;
}
