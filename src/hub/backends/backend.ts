/*
 * Where things to call come from. Each kind of backend is one file that
 * implements this: tools of a folder, a plugin, the library, an MCP server.
 *
 * A backend speaks in its own names; the catalogue gives them to clients and the
 * hub translates back. What a backend lacks it leaves out. Lists must be cheap and
 * must not start anything that is known already.
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

export type BackendKind = 'tools' | 'plugin' | 'library' | 'storage' | 'mcp';

/** A process that belongs to a backend. */
export interface OwnedProcess {
	readonly backend: string;
	readonly pid: number;
	readonly command: string;
	readonly startedAt: Date;
	readonly state: string;
}

export interface Backend {
	/** Its name in the configuration. */
	readonly id: string;
	readonly kind: BackendKind;
	/** True when every tool and prompt is called `id__name`; else names are kept unless they collide. */
	readonly qualifiesNames: boolean;
	/** The AI providers that it speaks for, when it is a plugin that does. */
	readonly providesAi?: readonly string[];
	/** How it is doing, in a word or two. */
	readonly state: string;
	/** Why it is down, and when it is tried again; undefined when it is not. */
	readonly trouble?: string | undefined;
	/** True for a tool that it offered before it went down. A call of it is tried, and says what is the matter. */
	knowsTool?(name: string): boolean;
	listTools?(): Awaitable<readonly Tool[]>;
	callTool?(params: CallToolParams, context: CallContext): Awaitable<CallToolResult | InputRequired>;
	/** Why it has a tool of this name and does not list it; undefined when it has none. */
	whyNotListed?(tool: string): string | undefined;
	listPrompts?(): Awaitable<readonly Prompt[]>;
	getPrompt?(params: GetPromptParams, context: CallContext): Awaitable<GetPromptResult | InputRequired>;
	listResources?(): Awaitable<readonly Resource[]>;
	listResourceTemplates?(): Awaitable<readonly ResourceTemplate[]>;
	readResource?(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired>;
	/** True for a URI that is read here although no list names it. */
	ownsUri?(uri: string): boolean;
	complete?(params: CompleteParams, context: CallContext): Awaitable<CompleteResult>;
	/** Clients watch this resource from now on (true), or none does any more (false). */
	subscribeResource?(uri: string, isSubscribed: boolean): void;
	onChange?(listener: (change: Change) => void): () => void;
	/** Begin what takes time. Called when the first client has had its first answer, or nothing else is to do. */
	warm?(): void;
	/** Resolves when what it serves is loaded. Never rejects. Default: at once. */
	ready?(): Promise<void>;
	/** Every process that it owns now. */
	processes?(): readonly OwnedProcess[];
	/** Its place is taken: let what runs come to its end, then close. Default: `close`. */
	retire?(): Promise<void>;
	/** Stop all that belongs to it. Idempotent. */
	close(): Promise<void>;
}
