/*
 * The types of a server definition: tools, resources and prompts with their handlers.
 *
 * The type of a handler's input comes from the schema beside it: a JSON Schema
 * literal or a schema of any library that implements Standard Schema. A handler
 * may return a plain value: a string becomes a text block, any other value is sent
 * as JSON, and as structured content when the tool declares its output.
 */

import type {
	Annotations,
	Awaitable,
	CallToolResult,
	GetPromptResult,
	Icon,
	InputRequired,
	Prompt,
	ReadResourceResult,
	ToolAnnotations,
} from '../../protocol/mcp-types.ts';
import type { InferInput, InferSchema } from '../../schema/infer-schema.ts';
import type { CallContext } from '../server/call-context.ts';

interface Described {
	/** Display name. */
	title?: string;
	description?: string;
	icons?: readonly Icon[];
	/** Extensions, under keys with a prefix: `example.com/kind`. */
	_meta?: Readonly<Record<string, unknown>>;
}

/** One tool. The types of `run` come from `input` and `output`. */
export interface ToolDefinition<Input = unknown, Output = unknown> extends Described {
	annotations?: ToolAnnotations;
	/** Schema of the arguments: JSON Schema, or a Standard Schema. Arguments are checked before `run`. Default: any object. */
	input?: Input;
	/** Schema of what `run` returns; without one the result is text only. */
	output?: Output;
	/** The protocol's name for `input`. */
	inputSchema?: Input;
	/** The protocol's name for `output`. */
	outputSchema?: Output;
	/** Runs the tool. A thrown error becomes a result with `isError`. */
	run(this: void, input: InferInput<Input>, context: CallContext): Awaitable<ToolReturn<Output>>;
}

/** Return type of `run`: the value that `output` describes, any JSON without `output`, or a whole result. */
export type ToolReturn<Output> =
	| CallToolResult
	| InputRequired
	| (unknown extends Output ? PlainReturn : InferSchema<Output>);

/** A string or JSON. An object with `content` must be a whole result, so that the compiler finds mistakes in it. */
type PlainReturn =
	| string
	| number
	| boolean
	| null
	| undefined
	| void
	| readonly unknown[]
	| (object & { content?: never; resultType?: never });

/** The tools of a server by name; the types of each come from its own schemas. */
export type ToolDefinitions<Inputs, Outputs> = {
	readonly [Name in keyof Inputs]: ToolDefinition<
		Inputs[Name],
		Name extends keyof Outputs ? Outputs[Name] : unknown
	>;
} & {
	readonly [Name in keyof Outputs]: ToolDefinition<
		Name extends keyof Inputs ? Inputs[Name] : unknown,
		Outputs[Name]
	>;
};

/** One resource with a fixed URI. */
export interface ResourceDefinition extends Described {
	/** Default: the URI. */
	name?: string;
	mimeType?: string;
	annotations?: Annotations;
	read(this: void, context: CallContext): Awaitable<string | Uint8Array | ReadResourceResult | InputRequired>;
}

/** Resources whose URIs follow a template. */
export interface TemplateDefinition extends Described {
	/** Default: the template. */
	name?: string;
	mimeType?: string;
	annotations?: Annotations;
	/** Receives the values of the variables. Return undefined when the resource does not exist. */
	read(
		this: void,
		variables: Record<string, string>,
		context: CallContext,
	): Awaitable<string | Uint8Array | ReadResourceResult | undefined>;
	/** Values for one variable that begin with what was typed. */
	complete?(this: void, variable: string, typed: string): Awaitable<string[]>;
}

/** One prompt. */
export interface PromptDefinition extends Described {
	arguments?: NonNullable<Prompt['arguments']>;
	/** A string for one user message, or a whole result. */
	get(
		this: void,
		input: Record<string, string>,
		context: CallContext,
	): Awaitable<string | GetPromptResult | InputRequired>;
	/** Values for one argument that begin with what was typed. */
	complete?(
		this: void,
		argument: string,
		typed: string,
		context: Record<string, string>,
	): Awaitable<string[]>;
}

/** A whole server. */
export interface ServerDefinition<Inputs = Record<string, unknown>, Outputs = Record<string, unknown>> {
	name: string;
	version: string;
	title?: string;
	description?: string;
	websiteUrl?: string;
	icons?: readonly Icon[];
	/** How to use the server, for the model. */
	instructions?: string;
	/** Keyed by name. Later additions take effect with `notifyChange`. */
	tools?: ToolDefinitions<Inputs, Outputs>;
	/** Keyed by URI. */
	resources?: Readonly<Record<string, ResourceDefinition>>;
	/** Keyed by URI template: `notes://{id}`. */
	templates?: Readonly<Record<string, TemplateDefinition>>;
	/** Keyed by name. */
	prompts?: Readonly<Record<string, PromptDefinition>>;
}
