/*
 * The interface between a session and what it serves: a hub, a library, any server.
 *
 * A provider has items (tools, prompts, resources) and answers requests about them. It is
 * independent of revisions, paging and transports. Which requests there are, and what is
 * in them, is one table (`methods.ts`). Lists are sorted, so that the same content gives
 * the same bytes.
 */
import type { Item, ItemKind, ListKind } from '../../protocol/item-lists.ts';
import type { Answer, Awaitable, Extensions, Implementation } from '../../protocol/mcp-types.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { CallContext, ClientConnection } from './call-context.ts';
import type { ProviderTasks } from './task-methods.ts';
import type { ToolForwarder } from './text-calls-client.ts';

/** A change that clients are notified of: of a list, of one resource, or a log message; `sessionId`: for this session alone. */
export type Change = { kind: ListKind } | ResourceChange | LogChange;

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
	/** The params of `notifications/message`. */
	readonly params: Readonly<Record<string, unknown>>;
	readonly sessionId?: string | undefined;
	/** The source that sent it. */
	readonly source?: string | undefined;
	/** The sessions that have it already. */
	readonly heardBy?: ReadonlySet<string> | undefined;
}

/** A capability of a server that methods need. */
export type Capability = 'tools' | 'prompts' | 'resources' | 'completions' | 'skills';

/** Params of the methods that reach a provider, checked. */
export interface CallParams {
	'tools/call': CallToolParams;
	'prompts/get': GetPromptParams;
	'resources/read': ReadResourceParams;
	'completion/complete': CompleteParams;
	'skills/get': ReadResourceParams;
	'resources/directory/read': ReadDirectoryParams;
}

/** A method that reaches a provider. */
export type CallMethod = keyof CallParams;

/** A request of a client, of one method. */
export interface CallOf<M extends CallMethod> {
	readonly method: M;
	readonly params: CallParams[M];
	/** The session, the cancellation, and the way back for progress, logs and client requests. */
	readonly context: CallContext;
}

/** A request of a client. */
export type Call = { [M in CallMethod]: CallOf<M> }[CallMethod];

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

/** Params of `resources/read` and `skills/get`. */
export interface ReadResourceParams {
	uri: string;
}

/** Params of `resources/directory/read`. */
export interface ReadDirectoryParams extends ReadResourceParams {
	cursor?: string;
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

/** Follows the sessions of clients. */
export interface ProviderSessions {
	/** A connection of this session opened. A session may have several, one after the other. `transport` is a name such as `http`. */
	opened?(sessionId: string, transport?: string): void;
	/** The client of a legacy session introduced itself. */
	introduced?(client: ClientConnection): void;
	/** The client of a legacy session set its log level. */
	logLevelChanged?(client: ClientConnection): void;
	/** The roots of a client changed. */
	rootsChanged?(client: RootsClient): void;
	/** A connection of this session closed. */
	closed?(sessionId: string): void;
}

/** The items and calls that a session serves. */
export interface Provider {
	readonly info: Implementation;
	/** How to use it, for the model of the client that introduced itself so. */
	instructions?(clientInfo: unknown): Awaitable<string | undefined>;
	/** The id of the hub that it is, or is of. */
	readonly hubId?: string | undefined;
	/** Whether it answers every method: with empty lists, and errors that name the item, where it declares no capability. */
	readonly answersAll?: boolean;
	/** The current ones, read for each client. */
	readonly capabilities: Awaitable<readonly Capability[]>;
	/** The extensions that are declared to a client of this era. Default: none. */
	extensions?(era: Revision['era']): Extensions;
	/** Its items of a kind, for the client of a request, or all without one. Asked for when it declares the capability, or answers all. */
	list(kind: ItemKind, reader?: CallContext): Awaitable<readonly Item[]>;
	/** Answer a request. Asked for when it declares the capability of the method, or answers all. */
	request(call: Call): Awaitable<Answer>;
	/** Its calls may become tasks. Default: it has none. */
	readonly tasks?: ProviderTasks | undefined;
	/** Takes calls of tools of this client as text; undefined when all must be parsed. */
	toolForwarder?(): ToolForwarder;
	/**
	 * A client subscribed to this resource (true) or unsubscribed (false). Updates are reported once it resolves; a
	 * rejection is the answer to the client.
	 */
	subscribeResource?(uri: string, isSubscribed: boolean, client: ClientConnection): Awaitable<void>;
	/** Follows the sessions of its clients. */
	readonly sessions?: ProviderSessions;
	/** Call `listener` with each change, until the returned function is called. Default: it never changes, and `listChanged` is not declared. */
	watch?(listener: (change: Change) => void): () => void;
}
