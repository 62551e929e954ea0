/* The types of a plugin definition: tools, prompts, storage and lifecycle hooks. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { InferInput } from '../../schema/infer-schema.ts';
import type { JsonObject, JsonValue } from '../../wire/json.ts';
import type { Orchestrator } from '../client/orchestrator-client.ts';
import type { ExactObject } from '../exact-json.ts';
import type { PluginManifestSchema } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers } from '../server/handlers.ts';

/** The context of a call to a tool or prompt. */
export interface PluginCall {
	/** The exact JSON text of the input, with digits that a number would lose. */
	readonly inputText: string;
	/** The id of the calling plugin or bridge. */
	readonly caller: string;
	readonly sessionId: string;
	readonly provider: string;
	readonly signal: AbortSignal;
	/** Other tools, storage and events. */
	readonly orchestrator: Orchestrator;
}

/** A string, an object, or the result of `exactResult`. */
export type PluginResult = string | object | ExactResult;

/** A result with exact digits: made by `exactResult`. */
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

/** A tool that returns its result in chunks. */
export interface PluginStreamingTool<Input = unknown> {
	description: string;
	inputSchema?: Input;
	/** The content type of the chunks. Default `text/plain`, `application/json` for JSON values. */
	contentType?: string;
	/** Each yielded value is one chunk. Should stop when the signal is aborted. */
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
	/** A string becomes one user message. */
	render(
		input: Record<string, string>,
		call: PluginCall,
	): string | PromptMessage[] | Promise<string | PromptMessage[]>;
}

/** The storage handlers of a plugin that provides storage. */
export type StorageHandlers = Pick<
	PluginHandlers,
	'storageRead' | 'storageWrite' | 'storageDelete' | 'storageList'
>;

/** An event that a plugin or client published. */
export interface PluginEvent {
	readonly topic: string;
	readonly eventType: string;
	readonly payload: JsonObject;
	readonly sourcePlugin: string;
}

type ManifestFields = MessageInitShape<typeof PluginManifestSchema>;

/** A whole plugin. */
export interface PluginDefinition<Inputs = Record<string, unknown>, StreamInputs = Record<string, unknown>> {
	/** The id, for example `tools.projects`; also the name of its certificate. */
	id: string;
	version: string;
	description?: string;
	author?: string;
	tools?: { readonly [Name in keyof Inputs]: PluginTool<Inputs[Name]> };
	streamingTools?: { readonly [Name in keyof StreamInputs]: PluginStreamingTool<StreamInputs[Name]> };
	prompts?: Record<string, PluginPrompt>;
	/** Storage that this plugin provides to others, with its storage types. */
	storage?: StorageHandlers & { types: string[] };
	/** Other fields of the manifest: `needsStorage`, `providesAi`, `providesEvents` and so on. */
	manifest?: Omit<ManifestFields, 'id' | 'version' | '$typeName' | '$unknown'>;
	/** Called for each event of a topic in `manifest.needsEvents`. */
	onEvent?(event: PluginEvent, orchestrator: Orchestrator): void | Promise<void>;
	/** Called at boot. A thrown error fails the start. */
	onBoot?(config: Record<string, string>, orchestrator: Orchestrator): void | Promise<void>;
	onShutdown?(orchestrator: Orchestrator): void | Promise<void>;
}
