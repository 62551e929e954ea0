/*
 * The messages of the dashboard's API, for the server and the page.
 *
 * Types only, so that the page can be bundled without Node. Times are
 * milliseconds since 1970, durations are milliseconds, sizes are bytes. Every text comes
 * from a server, a client or a file: the page shows it as text and never as HTML.
 *
 * GET  /api/state                        DashboardState
 * GET  /api/events?call=&server=         server-sent events, see `DashboardEvents`
 * GET  /api/overview?client=&backend=&since=   OverviewReply
 * GET  /api/reach                        ReachReply
 * GET  /api/costs                        CostsReply
 * GET  /api/catalogue                    CatalogueReply
 * GET  /api/tool?name=                   ToolReply
 * GET  /api/prompt?name=                 PromptReply
 * GET  /api/search?q=&limit=&kind=       SearchReply; kind: tools, prompts, resources, templates, skills; limit of each kind
 * POST /api/call      CallRequest    NDJSON of CallMessage; closing the connection cancels
 * POST /api/prompt    CallRequest      NDJSON of CallMessage
 * GET  /api/resource?uri=                NDJSON of CallMessage
 * GET  /api/resource/facts?uri=          ResourceReply
 * POST /api/commands  PageCommand       NDJSON of CallMessage; closing the connection ends the command
 * GET  /api/clients                      ClientFilesReply
 * POST /api/sign-out                     DoneReply, without the cookie
 * POST /api/replay    {number}      NDJSON of CallMessage, the last one with `comparison`
 * POST /api/answer    AnswerRequest      DoneReply
 * GET  /api/calls?before=&limit=&tool=&client=&outcome=&since=   CallsReply
 * GET  /api/calls/chart?tool=&client=&outcome=&since=            LatencyReply
 * GET  /api/calls/<number>               CallDetails
 * GET  /api/servers/<id>                 ServerPage
 * POST /api/servers/<id>/<action>        DoneReply; see `ServerAction`; `accept` takes {sha256}
 * POST /api/policy    PolicyRequest      DoneReply
 * GET  /api/approvals                    ApprovalsReply
 * GET  /api/approvals/<id>               ApprovalReply
 * POST /api/approvals/<id>               {decision: ApprovalDecision} → DoneReply
 * GET  /api/library?q=&budget=           LibraryReply
 * GET  /api/library/document?uri=        LibraryDocument
 * GET  /api/skills                       SkillsReply
 * GET  /api/settings                     SettingsReply
 * GET  /api/fabric                       FabricReply; fetch it again while it is shown
 * GET  /api/tasks                        TasksReply; fetch it again while it is shown
 * GET  /api/tasks/<id>                   TaskReply
 * POST /api/tasks/<id>                   DoneReply: it is canceled
 * GET  /api/results                      ResultsReply
 * GET  /api/results/<handle>             ResultReply: whole, and as its agent got it
 * GET  /api/usage?since=                 UsageReport of `hub/usage/usage-report.ts`; since: default 30 days ago
 *
 * A failed request has a status from 400 on and the body `ApiFailure`. A request that changes
 * something has `Content-Type: application/json`, also without fields (`{}`).
 *
 * Calls are in `api-calls.ts`; catalogue, servers, library and settings in `api-catalogue.ts`.
 */
import type { FabricFacts, FabricMember } from '../../hub/fabric-overview.ts';
import type { SourceReport } from '../../hub/source-status.ts';
import type { CallDetails, CallsEvent } from './api-calls.ts';

/** The body of a failed request. 401 has only the code `unauthorized`. */
export interface ApiFailure {
	readonly error: ApiError;
}

/** An error with its explanation. */
export interface ApiError {
	readonly code: string;
	readonly message: string;
	/** The next step of the user. */
	readonly hint?: string | undefined;
}

/** A change was made. `command` does the same in a terminal. */
export interface DoneReply {
	readonly isDone: true;
	readonly command: string;
	/** One sentence about what happened, where the action alone does not say it. */
	readonly message?: string | undefined;
}

/** The fabric, as this hub sees it. */
export interface FabricReply extends FabricFacts {
	/** The members with a key, on the machine where the keys were made; elsewhere none. */
	readonly members: readonly FabricMember[];
}

/** Everything that the overview shows. */
export interface DashboardState {
	readonly hub: HubFacts;
	/** All sources in configuration order; disabled ones too. */
	readonly backends: readonly SourceRow[];
	readonly clients: readonly ClientRow[];
	/** Calls that wait for a user. */
	readonly approvals: readonly ApprovalRow[];
	/** The worst first. Calls that wait are in `approvals`. */
	readonly attention: readonly AttentionRow[];
}

/** Something that the user should look at. */
export interface AttentionRow {
	readonly level: 'bad' | 'warn';
	readonly kind: 'server' | 'sign-in' | 'drift' | 'variable' | 'trust' | 'configuration' | 'version';
	readonly title: string;
	readonly reason: string | null;
	readonly hint: string | null;
	/** The id of the source that it is about. */
	readonly server: string | null;
	/** The command for a terminal. */
	readonly command: string | null;
}

/** Who may reach what. */
export interface ReachReply {
	readonly clients: readonly {
		readonly client: string;
		/** Its view in the configuration; null when it sees all tools. */
		readonly view: string | null;
		readonly sources: readonly ReachedSource[];
	}[];
}

/** Tools of a source: those outside of the view, and the others by the decision of the policy. */
export interface ReachedSource {
	readonly backend: string;
	readonly tools: number;
	readonly hidden: number;
	readonly allow: number;
	readonly ask: number;
	readonly deny: number;
}

/** The files of MCP clients on this machine. */
export interface ClientFilesReply {
	readonly clients: readonly {
		/** The name that `mctl init --client` takes. */
		readonly id: string;
		readonly title: string;
		readonly files: readonly string[];
		/** It starts the hub. */
		readonly isConnected: boolean;
	}[];
}

/** The tokens of the tool definitions for an agent that lists all of them. Estimated: four characters a token. */
export interface CostsReply {
	/** The most expensive first. */
	readonly sources: readonly { readonly backend: string; readonly tools: number; readonly tokens: number }[];
}

export interface HubFacts {
	readonly version: string;
	/** The version of the program on disk, which the next start uses. */
	readonly filesVersion: string;
	/** The folder whose configuration it serves. */
	readonly root: string;
	readonly pid: number;
	readonly startedAt: number;
	readonly memoryBytes: number;
	/** Mean delay of the event loop in the last second. */
	readonly loopDelayMs: number;
	/** Calls that have begun and not ended. */
	readonly inFlight: number;
	/** Calls since the listener opened. */
	readonly calls: number;
}

/** `mcp` is an MCP server; the others belong to the hub itself or are plugins. Its times are ISO 8601. Without the sentence that counts the seconds to the next start. */
export interface SourceRow extends Omit<SourceReport, 'downReason'> {
	/** Calls in each of the last 30 minutes, the current minute last. */
	readonly callsPerMinute: readonly number[];
	/** Failed calls among those, from 0 to 1. */
	readonly errorRate: number;
	/** The actions that are possible now. */
	readonly actions: readonly ServerAction[];
}

export type ServerAction = 'start' | 'stop' | 'restart' | 'enable' | 'disable' | 'accept' | 'quarantine';

/** A client that is connected. */
export interface ClientRow {
	readonly sessionId: string;
	readonly name: string;
	readonly version: string | null;
	readonly era: 'legacy' | 'modern' | null;
	/** The revision of MCP. */
	readonly revision: string | null;
	/** How it is connected: `link` for bridges and commands, `http`, `dashboard`. */
	readonly transport: string;
	readonly since: number;
	readonly calls: number;
	readonly lastCallAt: number | null;
}

export interface ApprovalRow {
	readonly id: string;
	readonly client: string;
	readonly tool: string;
	/** The rule that asks, as `file:line`. */
	readonly rule: string;
	readonly reason: string | null;
	readonly askedAt: number;
	readonly expiresAt: number;
	/** The commands that give the same decision. */
	readonly commands: Readonly<Record<ApprovalDecision, string>>;
}

/** Not in events: some 64 KiB. */
export interface ApprovalReply {
	/** The short ones first. */
	readonly arguments: readonly ArgumentRow[];
}

/** An argument of a call that waits: `ArgumentRow` of `trust/argument-row.ts`. */
export interface ArgumentRow {
	readonly name: string;
	/** JSON on one line, without secrets, with escapes for every invisible character. */
	readonly text: string;
	readonly characters: number;
	readonly sha256: string;
	/** It is shown folded. */
	readonly isLong: boolean;
	/** Characters at the end that are not in `text`. */
	readonly leftOut: number;
	readonly hasSecret: boolean;
}

export type ApprovalDecision = 'allow' | 'always' | 'deny';

export interface ApprovalsReply {
	readonly approvals: readonly ApprovalRow[];
}

/** A result that is stored for an agent. */
export interface StoredResultRow {
	readonly handle: string;
	readonly tool: string;
	readonly client: string;
	readonly bytes: number;
	readonly mimeType: string;
	readonly isPinned: boolean;
	readonly keptAt: string;
}

/** Newest first. */
export interface ResultsReply {
	readonly results: readonly StoredResultRow[];
}

/** One stored result in both forms. */
export interface ResultReply extends StoredResultRow {
	/** The first 1 MiB; null for an image or other bytes. */
	readonly text: string | null;
	/** Whether `text` is all of it. */
	readonly isWhole: boolean;
	/** The form that its agent got; null when that was all of it, or another answer. */
	readonly shortened: { readonly text: string; readonly structured: string | null } | null;
}

export interface ProblemRow {
	readonly message: string;
	readonly hint: string | null;
	readonly file: string | null;
	/** The key in the file, such as `mcpServers.github`. */
	readonly key: string | null;
	/** Variables in it without a value. */
	readonly unset: readonly string[];
}

/**
 * The events of `/api/events`, by event name; `data` is JSON. The first events are `state` and `approvals`.
 * `calls`, `call` and `log` begin with what happens after the connection.
 */
export interface DashboardEvents {
	/** Sent at most once a second, and only when it differs from the last one. */
	readonly state: DashboardState;
	/** Sent at most 4 times a second. */
	readonly calls: CallsEvent;
	/** The call in `?call=<number>`: at most 4 per second while it runs, then once more with its end. */
	readonly call: CallDetails;
	/** Lines of the server in `?server=<id>`. */
	readonly log: LogEvent;
	/** When an approval is requested or given. */
	readonly approvals: ApprovalsReply;
	/** A list of the hub changed: fetch the catalogue again. */
	readonly catalogue: CatalogueEvent;
}

/** Events of the same stream whose data is `{}`. */
export type SignalEvent =
	/** Sent after 10 s without another event: a hub that sends nothing for longer hangs. */
	| 'ping'
	/** The browser has signed out, here or in another tab. The stream ends. */
	| 'signed-out'
	/** The configuration was read again: fetch the settings again. */
	| 'settings';

export interface CatalogueEvent {
	/** Compare with `CatalogueReply.version`. */
	readonly version: number;
}

export interface LogEvent {
	readonly server: string;
	readonly lines: readonly LogLine[];
	readonly dropped: number;
}

/** A line of a server, or of the hub about it. */
export interface LogLine {
	readonly at: number;
	/** `stdout`: what the server wrote to stdout besides messages. */
	readonly stream: 'stderr' | 'stdout' | 'hub';
	readonly text: string;
}

/** A JSON value. */
export type ApiValue = string | number | boolean | null | readonly ApiValue[] | ApiObject;
export interface ApiObject {
	readonly [key: string]: ApiValue;
}
