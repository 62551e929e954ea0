/*
 * The interface between a session and what it serves: a hub, a library, any server.
 *
 * A provider implements tools, resources and prompts and is independent of
 * revisions, paging and transports. A missing method is not offered to clients.
 * Lists are sorted, so that the same content gives the same bytes.
 */

import type {
	Awaitable,
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	Implementation,
	InputRequired,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	ServerCapabilities,
	Tool,
} from '../../protocol/mcp-types.ts';
import type { CallContext, ClientConnection } from './call-context.ts';

/** A change that clients are notified of: of a list, of one resource, or a log message; `sessionId`: for this session alone. */
export type Change = { kind: 'tools' | 'prompts' | 'resources' } | ResourceChange | LogChange;

/** A resource changed. */
export interface ResourceChange {
	readonly kind: 'resource';
	readonly uri: string;
	readonly sessionId?: string | undefined;
	/** Further params of the notification: `_meta`, and fields that we do not know. */
	readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** A log message that belongs to no call, for all sessions or for the one with this id. */
export interface LogChange {
	readonly kind: 'log';
	/** Of `notifications/message`. */
	readonly params: Readonly<Record<string, unknown>>;
	readonly sessionId?: string | undefined;
	/** The backend that sent it. */
	readonly source?: string | undefined;
	/** The sessions that have it already. */
	readonly heardBy?: ReadonlySet<string> | undefined;
}

/** Params of `tools/call`. */
export interface CallToolParams {
	name: string;
	arguments: Record<string, unknown>;
}

/** Params of `prompts/get`. */
export interface GetPromptParams {
	name: string;
	arguments: Record<string, string>;
}

/** Params of `completion/complete`; `context` holds the arguments that are already filled in. */
export interface CompleteParams {
	ref: { type: string; name?: string; uri?: string };
	argument: { name: string; value: string };
	context: Record<string, string>;
}

/** A legacy client whose roots changed. */
export interface RootsClient {
	readonly sessionId: string;
	/** Its answer to `roots/list`. */
	listRoots(): Promise<unknown>;
}

/** What a session serves. */
export interface Provider {
	readonly info: Implementation;
	/** How to use it, for the model of a client. */
	readonly instructions?: Awaitable<string | undefined>;
	/** The current capabilities, read for each client. */
	capabilities(): Awaitable<ServerCapabilities>;
	listTools?(context: CallContext): Awaitable<readonly Tool[]>;
	callTool?(params: CallToolParams, context: CallContext): Awaitable<CallToolResult | InputRequired>;
	listResources?(context: CallContext): Awaitable<readonly Resource[]>;
	listResourceTemplates?(context: CallContext): Awaitable<readonly ResourceTemplate[]>;
	readResource?(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired>;
	listPrompts?(context: CallContext): Awaitable<readonly Prompt[]>;
	getPrompt?(params: GetPromptParams, context: CallContext): Awaitable<GetPromptResult | InputRequired>;
	complete?(params: CompleteParams, context: CallContext): Awaitable<CompleteResult>;
	/**
	 * A client subscribed to this resource (true) or unsubscribed (false). Updates are reported once it resolves; a
	 * rejection is the answer to the client.
	 */
	subscribeResource?(uri: string, isSubscribed: boolean, client: ClientConnection): Awaitable<void>;
	/** The roots of a client changed. */
	rootsChanged?(client: RootsClient): void;
	/** A connection of this session opened. A session may have several, one after the other. `transport` is a word such as `http`. */
	sessionOpened?(sessionId: string, transport?: string): void;
	/** The client of a legacy session introduced itself. */
	clientConnected?(client: ClientConnection): void;
	/** The client of a legacy session set its log level. */
	logLevelChanged?(client: ClientConnection): void;
	/** A connection of this session closed. */
	sessionClosed?(sessionId: string): void;
	/** Subscribe to changes. Returns the function that unsubscribes. */
	onChange?(listener: (change: Change) => void): () => void;
}
