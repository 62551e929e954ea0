/*
 * The interface of a source of tools, prompts and resources. Each kind of backend is
 * one file: tools of a folder, a plugin, the library, the storage, an MCP server.
 *
 * A backend uses its own names; the catalogue maps them to the names that clients
 * see. Methods that a backend does not support are absent. Lists must be cheap and
 * must not start a process whose lists are known.
 */
import type { OrchestraError } from '../../errors.ts';
import type { Fragment } from '../../library/files/fragment.ts';
import type { FindOptions } from '../../library/library.ts';
import type { FoundFragment } from '../../library/match/finder.ts';
import type { CallContext, ClientConnection } from '../../mcp/server/call-context.ts';
import type {
	CallToolParams,
	Change,
	CompleteParams,
	GetPromptParams,
	RootsClient,
} from '../../mcp/server/provider.ts';
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
export type BackendKind = 'tools' | 'plugin' | 'library' | 'storage' | 'results' | 'mcp' | 'fabric';

/** A process that a backend owns. */
export interface OwnedProcess {
	readonly backend: string;
	readonly pid: number;
	readonly command: string;
	readonly startedAt: Date;
	readonly state: string;
}

/** How busy a backend is, and how often its processes started since it was made. */
export interface BackendCounts {
	/** Calls that wait for a free place. */
	readonly queued: number;
	/** Starts that succeeded. */
	readonly starts: number;
	/** Of those, starts after a crash or a failed start. */
	readonly restarts: number;
	readonly failedStarts: number;
}

/** The state of an MCP server. */
export type ServerState = 'configured' | 'known' | 'starting' | 'ready' | 'idle' | 'stopped' | 'failed';

/** The status of an MCP server, for display. Times are ISO 8601. */
export interface ServerStatus {
	readonly name: string;
	readonly state: ServerState;
	/** Of its process; the oldest one when it has several; null when none runs. */
	readonly pid: number | null;
	/** The number of its processes. */
	readonly processes: number;
	readonly era: 'legacy' | 'modern' | null;
	/** The revision of MCP that it speaks. */
	readonly revision: string | null;
	/** Its own version. */
	readonly version: string | null;
	/** The number of tools that it offers; null when it was never seen. */
	readonly tools: number | null;
	/** The number of tools that are not as they were accepted. */
	readonly drifted?: number;
	readonly lastError: string | null;
	/** When a failed server is started again. */
	readonly nextTryAt: string | null;
	readonly startedAt: string | null;
	/** Calls in flight and queued. */
	readonly calls: number;
	/** The file with its stderr. */
	readonly logFile: string | null;
	/** The last lines of its stderr. */
	readonly lastLines?: readonly string[];
}

/** What a person does with the process of a server or plugin. A stopped one is started again by the next call. */
export type ProcessAction = 'start' | 'stop' | 'restart';

/** A line of a server: of its stderr, of its stdout besides messages, or of the hub about it. */
export interface ServerLine {
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly stream: 'stderr' | 'stdout' | 'hub';
	/** Without secrets. */
	readonly text: string;
}

/** The last lines of a server, and those that follow. */
export interface ServerLines {
	/** The last lines, oldest first. */
	last(count: number): readonly ServerLine[];
	/** The last lines of the hub about it: its starts and ends. A flood of stderr does not displace them. */
	notes(): readonly ServerLine[];
	/** Returns the function that removes the listener. */
	listen(listener: (line: ServerLine) => void): () => void;
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
	/** Why its process is down or unhealthy. Kept until it works again. */
	readonly lastError?: OrchestraError | undefined;
	/** True for a tool that it offered before it went down. A call is still routed to it and fails with the reason. */
	hasDownTool?(name: string): boolean;
	/** Its instructions for clients, as far as they are known. Starts no process. */
	instructions?(): Awaitable<string | undefined>;
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
	/** True when its resources have the scheme of this URI, so that it may read it although no list contains it. */
	claimsUri?(uri: string): boolean;
	complete?(params: CompleteParams, context: CallContext): Awaitable<CompleteResult>;
	/** A session subscribed to this resource (true) or unsubscribed (false). Rejects when it cannot be subscribed to. */
	subscribeResource?(uri: string, isSubscribed: boolean, client: ClientConnection): Awaitable<void>;
	/** The roots of a client changed. */
	rootsChanged?(client: RootsClient): void;
	/** A client set its log level. */
	logLevelChanged?(): void;
	/** A list of the hub with its items was answered: it may read again what is out of date. */
	listAnswered?(): void;
	/** The MCP session of a client has ended: release what was kept for it. */
	endSession?(sessionId: string): void;
	onChange?(listener: (change: Change) => void): () => void;
	/** Start slow work early. Called after the first answer to the first client, or when the hub is idle. */
	warm?(): void;
	/** Resolves when its content is loaded. Never rejects. Default: at once. */
	ready?(): Promise<void>;
	/** Every process that it owns. */
	processes?(): readonly OwnedProcess[];
	/** For metrics. */
	counts?(): BackendCounts | undefined;
	/** For an MCP server. */
	serverStatus?(): ServerStatus;
	/** The lines of an MCP server or plugin; undefined before its first use. */
	lines?(): ServerLines | undefined;
	/** Start or stop its process. Calls in flight fail. Rejects with the reason when it does not start. */
	control?(action: ProcessAction): Promise<void>;
	/** All documents, for a library. */
	listDocuments?(): Promise<readonly Fragment[]>;
	/** Find documents, for a library. */
	findDocuments?(query: string, options: FindOptions): Promise<FoundFragment>;
	/** It was replaced: drain the running calls, then close. Undefined when there is nothing to drain: `close`. */
	readonly retire?: (() => Promise<void>) | undefined;
	/** Stop everything that it owns. Idempotent. */
	close(): Promise<void>;
}
