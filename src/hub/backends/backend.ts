/*
 * The interface of a source of tools, prompts and resources. Each kind of backend is
 * one file: tools of a folder, a plugin, the library, the storage.
 *
 * A backend uses its own names; the catalogue maps them to the names that clients
 * see. Methods that a backend does not support are absent. Lists must be cheap and
 * must not start a process whose lists are known.
 */
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams, Change, CompleteParams, GetPromptParams } from '../../mcp/server/provider.ts';
import type {
	Awaitable,
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	InputRequired,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	Tool,
} from '../../protocol/mcp-types.ts';

/** The kind of a backend. */
export type BackendKind = 'tools' | 'plugin' | 'library' | 'storage' | 'results' | 'mcp';

/** A process that a backend owns. */
export interface OwnedProcess {
	readonly backend: string;
	readonly pid: number;
	readonly command: string;
	readonly startedAt: Date;
	readonly state: string;
}

/** A source of tools, prompts and resources. */
export interface Backend {
	/** Its name in the configuration. */
	readonly id: string;
	readonly kind: BackendKind;
	/** True when every tool and prompt is called `id__name`; else names are kept unless they collide. */
	readonly qualifiesNames: boolean;
	/** The AI providers that it serves, for a plugin. */
	readonly providesAi?: readonly string[];
	/** Short status for display. */
	readonly state: string;
	/** Why it is down and when it restarts; undefined when it is not down. */
	readonly downReason?: string | undefined;
	/** True for a tool that it offered before it went down. A call is still routed to it and fails with the reason. */
	hasDownTool?(name: string): boolean;
	listTools?(): Awaitable<readonly Tool[]>;
	callTool?(params: CallToolParams, context: CallContext): Awaitable<CallToolResult | InputRequired>;
	/** Why an existing tool is not listed; undefined when there is no such tool. */
	unlistedReason?(tool: string): string | undefined;
	listPrompts?(): Awaitable<readonly Prompt[]>;
	getPrompt?(params: GetPromptParams, context: CallContext): Awaitable<GetPromptResult | InputRequired>;
	listResources?(): Awaitable<readonly Resource[]>;
	listResourceTemplates?(): Awaitable<readonly ResourceTemplate[]>;
	readResource?(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired>;
	/** True for a URI that it can read although no list contains it. */
	ownsUri?(uri: string): boolean;
	complete?(params: CompleteParams, context: CallContext): Awaitable<CompleteResult>;
	/** The first client subscribed to this resource (true), or the last one unsubscribed (false). */
	subscribeResource?(uri: string, isSubscribed: boolean): void;
	/** The MCP session of a client has ended: release what was kept for it. */
	endSession?(sessionId: string): void;
	onChange?(listener: (change: Change) => void): () => void;
	/** Start slow work early. Called after the first answer to the first client, or when the hub is idle. */
	warm?(): void;
	/** Resolves when its content is loaded. Never rejects. Default: at once. */
	ready?(): Promise<void>;
	/** Every process that it owns. */
	processes?(): readonly OwnedProcess[];
	/** It was replaced: drain the running calls, then close. Default: `close`. */
	retire?(): Promise<void>;
	/** Stop everything that it owns. Idempotent. */
	close(): Promise<void>;
}
