/* What a plugin is, as data: its tools, prompts and storage, and what happens at its start and end. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import type { ExactObject } from './exact-json.ts';
import type { PluginManifestSchema } from './gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers } from './handlers.ts';
import type { Orchestrator } from './orchestrator.ts';

/** What a tool or prompt knows beside its input. */
export interface ToolCall {
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
export type ToolResult = string | JsonObject | ExactResult;

/** A result whose digits must survive: made by `exactResult`. */
export interface ExactResult {
	readonly exact: ExactObject;
}

export interface ToolDefinition {
	description: string;
	/** JSON Schema of the input. Default: any object. */
	inputSchema?: JsonObject;
	run(input: JsonObject, call: ToolCall): ToolResult | Promise<ToolResult>;
}

export interface StreamingToolDefinition {
	description: string;
	inputSchema?: JsonObject;
	/** How chunks are to be read. Default `text/plain`, `application/json` for values. */
	contentType?: string;
	/** Each yielded value is one chunk. Leaves its loop when the signal is aborted. */
	run(input: JsonObject, call: ToolCall): AsyncIterable<Uint8Array | string | JsonValue>;
}

export interface PromptMessage {
	role: 'user' | 'assistant';
	text: string;
}

export interface PromptDefinition {
	description: string;
	arguments?: { name: string; description?: string; required?: boolean }[];
	/** A text becomes one message of the user. */
	render(
		input: Record<string, string>,
		call: ToolCall,
	): string | PromptMessage[] | Promise<string | PromptMessage[]>;
}

export type StorageHandlers = Pick<
	PluginHandlers,
	'storageRead' | 'storageWrite' | 'storageDelete' | 'storageList'
>;

type ManifestFields = MessageInitShape<typeof PluginManifestSchema>;

export interface PluginDefinition {
	/** Also the name of its certificate, for example `tools.projects`. */
	id: string;
	version: string;
	description?: string;
	author?: string;
	tools?: Record<string, ToolDefinition>;
	streamingTools?: Record<string, StreamingToolDefinition>;
	prompts?: Record<string, PromptDefinition>;
	/** Storage that this plugin offers to others, under the types it is known by. */
	storage?: StorageHandlers & { types: string[] };
	/** Anything else to say in the manifest: `needsStorage`, `providesAi`, `providesEvents` and so on. */
	manifest?: Omit<ManifestFields, 'id' | 'version' | '$typeName' | '$unknown'>;
	/** Throwing refuses the start. */
	onBoot?(config: Record<string, string>, orchestrator: Orchestrator): void | Promise<void>;
	onShutdown?(orchestrator: Orchestrator): void | Promise<void>;
}
