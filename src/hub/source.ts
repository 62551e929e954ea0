/*
 * The interface of a source of tools, prompts and resources. Which requests there are is one
 * table (`mcp/server/methods.ts`): a source answers those of its capabilities, and passes on
 * or refuses them without a member for each.
 *
 * A source uses its own names; the catalogue maps them to the names that clients see. Lists
 * must be cheap and must not start a process whose lists are known.
 */
import type { Fragment } from '../library/files/fragment.ts';
import type { FindOptions } from '../library/library.ts';
import type { FoundFragment } from '../library/match/finder.ts';
import type { CallContext, ClientConnection } from '../mcp/server/call-context.ts';

import type { Call, Capability, Change, RootsClient } from '../mcp/server/provider.ts';
import type { Item, ItemKind } from '../protocol/item-lists.ts';
import type { Answer, Awaitable, Extensions } from '../protocol/mcp-types.ts';
import type { FabricView } from './fabric-overview.ts';
import type { OwnedProcess, SourceStatus } from './source-status.ts';
import type { PlainSource } from './sources/mcp/plain-call.ts';

/** The kind of a source. */
export type SourceKind =
	| 'tools'
	| 'plugin'
	| 'library'
	| 'skills'
	| 'storage'
	| 'results'
	| 'mcp'
	| 'fabric'
	| 'tasks'
	| 'plans'
	| 'hub';

/** An order of a user about the process of a server or plugin. A stopped one is started again by the next call. */
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
	events(): readonly ServerLine[];
	/** The last lines of stderr that say most, oldest first. */
	lastErrors(count: number): readonly string[];
	/** Returns the function that removes the listener. */
	listen(listener: (line: ServerLine) => void): () => void;
}

/** Anything that has tools, prompts or resources: an MCP server, a plugin, a folder of tools, the library, the fabric. The hub is one too. */
export interface Source {
	/** Its name in the configuration. */
	readonly id: string;
	readonly kind: SourceKind;
	/** Read whenever it is shown. */
	readonly status: SourceStatus;
	/** Nothing else is requested. */
	readonly capabilities: readonly Capability[];
	/** Its items of a kind, for the client of a request, or all without one. Never requested without the capability. */
	list(kind: ItemKind, reader?: CallContext): Awaitable<readonly Item[]>;
	/** Answer a request about an item of its own name. Never requested without the capability. */
	request(call: Call): Awaitable<Answer>;
	/** Call `listener` with each change, until the returned function is called. Default: it never changes. */
	watch?(listener: (change: Change) => void): () => void;
	/** Stop everything that it owns. Idempotent. */
	close(): Promise<void>;
}

/** The abilities that only some sources have, by the member that shows it. */
export interface SourceAbilities {
	/** It chooses the names of its tools and prompts. Default: they stay unless they collide. */
	qualifiesNames: {
		/** True when every tool and prompt is called `id__name`. */
		readonly qualifiesNames: boolean;
		/** The server of a tool, where it calls the tools of several servers `server__tool` itself. */
		serverOf?(tool: string): string | undefined;
	};
	/** It may answer calls of tools that no list has. */
	hasDownTool: {
		/** True for a tool that it has, or had before it went down: a call is routed to it, and fails with the reason. */
		hasDownTool(name: string): boolean;
	};
	/** It has resources which no list contains. */
	ownsUri: {
		/** True for a URI of its own form. */
		ownsUri(uri: string): boolean;
		/** True when its resources have the scheme of this URI, so that it may read it. */
		claimsUri?(uri: string): boolean;
	};
	/** It has instructions for clients. */
	instructions: {
		/** The instructions, as far as they are known. Starts no process. */
		instructions(): Awaitable<string | undefined>;
	};
	/** Its server declares extensions of MCP. */
	extensions: {
		/** The extensions that may be declared to clients, as far as they are known. Starts no process. */
		readonly extensions: Extensions;
	};
	/** It has skills whose folders may not all be readable. */
	readsFolders: {
		/** Whether it answers `resources/directory/read` for every folder of its skills. Default true. */
		readonly readsFolders: boolean;
	};
	/** Its resources report their changes to sessions that subscribed. */
	subscribeResource: {
		/** A session subscribed to this resource (true) or unsubscribed (false). Rejects when it cannot be subscribed to. */
		subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Awaitable<void>;
	};
	/** It stores something for the sessions of clients. */
	endSession: {
		/** The MCP session of a client has ended: release what was reserved for it. */
		endSession(sessionId: string): void;
		/** Only these sessions are left: those of an earlier hub that did not come back have ended. */
		endOthers?(left: ReadonlySet<string>): void;
		/** The roots of a client changed. */
		rootsChanged?(client: RootsClient): void;
		/** A client set its log level. */
		logLevelChanged?(): void;
	};
	/** Its lists are learned from a process. */
	learn: {
		/** A client has connected: read what is not known yet, in the background. */
		learn(): void;
		/** A list of the hub with its items was answered: it may read again what is out of date. */
		listAnswered(): void;
	};
	/** It has slow work that may be done early. */
	warm: {
		/** Begin it. Called after the first answer to the first client, or when the hub is idle. */
		warm(): void;
		/** Resolves when its content is loaded. Never rejects. */
		ready?(): Promise<void>;
	};
	/** It owns processes. */
	processes: {
		processes(): readonly OwnedProcess[];
	};
	/** It has a process that the user may start and stop. */
	control: {
		/** Calls in flight fail. Rejects with the reason when it does not start. */
		control(action: ProcessAction): Promise<void>;
		/** The lines that the process printed, and those of the hub about it. */
		lines(): ServerLines;
	};
	/** It is a library. */
	listDocuments: {
		listDocuments(): Promise<readonly Fragment[]>;
		findDocuments(query: string, options: FindOptions): Promise<FoundFragment>;
	};
	/** It finishes its calls after it was replaced. */
	retire: {
		/** Drain the running calls, then close. Undefined when there is nothing to drain: `close`. */
		readonly retire: (() => Promise<void>) | undefined;
	};
	/** It is of one part of the configuration, and goes on when other parts change. */
	configurationKey: {
		/** Equal for the same configuration. */
		readonly configurationKey: string;
	};
	/** Its server is elsewhere. */
	address: {
		/** Its address, where its tasks go on when the hub ends; undefined when the server ends with the hub. */
		readonly address: string | undefined;
	};
	/** It uses the tools of other hubs. */
	overview: FabricView;
	/** It takes calls as text. */
	plainTarget: PlainSource;
}

/** All of these abilities, for a class that has them. */
export type Can<A extends keyof SourceAbilities> = ({
	[M in A]: (ability: SourceAbilities[M]) => void;
}[A] extends (ability: infer All) => void
	? All
	: never) &
	object;

/** A further ability of a source, by the member that shows it; undefined when it cannot. */
export function able<A extends keyof SourceAbilities>(
	source: object | undefined,
	member: A,
): SourceAbilities[A] | undefined {
	// No two abilities have the same member.
	return source && member in source ? (source as SourceAbilities[A]) : undefined;
}

/** Whether every tool and prompt of a source is called `id__name`. */
export function qualifiesNames(source: Source): boolean {
	return able(source, 'qualifiesNames')?.qualifiesNames === true;
}
