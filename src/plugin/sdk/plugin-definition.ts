/* What a plugin is, as data: its tools, prompts and storage, and what happens at its start and end. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { InferInput } from '../../schema/infer-schema.ts';
import type { JsonValue } from '../../wire/json.ts';
import type { Orchestrator } from '../client/orchestrator-client.ts';
import type { ExactObject } from '../exact-json.ts';
import type { PluginManifestSchema } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers } from '../server/handlers.ts';

/** What a tool or prompt knows beside its input. */
export interface PluginCall {
	/** The input as the exact JSON text it came in, with digits that a number would lose. */
	readonly inputText: string;
	/** Which plugin or bridge asks, and for which session and provider. */
	readonly caller: string;
	readonly sessionId: string;
	readonly provider: string;
	readonly signal: AbortSignal;
	/** Other tools, storage and events. */
	readonly orchestrator: Orchestrator;
}

/** A text, an object, or an object with its exact text. */
export type PluginResult = string | object | ExactResult;

/** A result whose digits must survive: made by `exactResult`. */
export interface ExactResult {
	readonly exact: ExactObject;
}

/** One tool of a plugin. The type of its input comes from the schema. */
export interface PluginTool<Input = unknown> {
	description: string;
	/** JSON Schema of the input. Default: any object. */
	inputSchema?: Input;
	run(input: InferInput<Input>, call: PluginCall): PluginResult | Promise<PluginResult>;
}

/** A tool that answers in chunks. */
export interface PluginStreamingTool<Input = unknown> {
	description: string;
	inputSchema?: Input;
	/** How chunks are to be read. Default `text/plain`, `application/json` for values. */
	contentType?: string;
	/** Each yielded value is one chunk. Leaves its loop when the signal is aborted. */
	run(input: InferInput<Input>, call: PluginCall): AsyncIterable<Uint8Array | string | JsonValue>;
}

/** One message of a prompt. */
export interface PromptMessage {
	role: 'user' | 'assistant';
	text: string;
}

/** One prompt of a plugin. */
export interface PluginPrompt {
	description: string;
	arguments?: { name: string; description?: string; required?: boolean }[];
	/** A text becomes one message of the user. */
	render(
		input: Record<string, string>,
		call: PluginCall,
	): string | PromptMessage[] | Promise<string | PromptMessage[]>;
}

/** What a plugin that offers storage implements. */
export type StorageHandlers = Pick<
	PluginHandlers,
	'storageRead' | 'storageWrite' | 'storageDelete' | 'storageList'
>;

type ManifestFields = MessageInitShape<typeof PluginManifestSchema>;

/** A whole plugin. */
export interface PluginDefinition<Inputs = Record<string, unknown>, StreamInputs = Record<string, unknown>> {
	/** Also the name of its certificate, for example `tools.projects`. */
	id: string;
	version: string;
	description?: string;
	author?: string;
	tools?: { readonly [Name in keyof Inputs]: PluginTool<Inputs[Name]> };
	streamingTools?: { readonly [Name in keyof StreamInputs]: PluginStreamingTool<StreamInputs[Name]> };
	prompts?: Record<string, PluginPrompt>;
	/** Storage that this plugin offers to others, under the types it is known by. */
	storage?: StorageHandlers & { types: string[] };
	/** Anything else to say in the manifest: `needsStorage`, `providesAi`, `providesEvents` and so on. */
	manifest?: Omit<ManifestFields, 'id' | 'version' | '$typeName' | '$unknown'>;
	/** Throwing refuses the start. */
	onBoot?(config: Record<string, string>, orchestrator: Orchestrator): void | Promise<void>;
	onShutdown?(orchestrator: Orchestrator): void | Promise<void>;
}
