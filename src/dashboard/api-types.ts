/*
 * The messages of the dashboard's API, for the server and the page.
 *
 * Types only, without imports, so that the page can be bundled without Node. Times are
 * milliseconds since 1970, durations are milliseconds, sizes are bytes. Every text comes
 * from a server, a client or a file: the page shows it as text and never as HTML.
 *
 * GET  /api/state                        DashboardState
 * GET  /api/events?call=&server=         server-sent events, see `DashboardEvents`
 * GET  /api/catalogue                    CatalogueReply
 * GET  /api/tool?name=                   ToolReply
 * GET  /api/search?q=&limit=             SearchReply
 * POST /api/call      ToolCallRequest    NDJSON of CallMessage; closing the connection cancels
 * POST /api/prompt    PromptRequest      NDJSON of CallMessage
 * GET  /api/resource?uri=                NDJSON of CallMessage
 * POST /api/answer    AnswerRequest      DoneReply
 * GET  /api/calls?before=&limit=&tool=&client=&outcome=&since=   CallsReply
 * GET  /api/calls/chart?tool=&client=&outcome=&since=            LatencyReply
 * GET  /api/calls/<number>               CallDetails
 * GET  /api/servers/<id>                 ServerPage
 * POST /api/servers/<id>/<action>        ServerActionRequest → DoneReply; see `ServerAction`
 * GET  /api/approvals                    ApprovalsReply
 * POST /api/approvals/<id>               ApprovalDecisionRequest → DoneReply
 * GET  /api/library?q=&budget=           LibraryReply
 * GET  /api/library/document?uri=        LibraryDocument
 * GET  /api/settings                     SettingsReply
 *
 * A failed request has a status from 400 on and the body `ApiFailure`. A request that changes
 * something has `Content-Type: application/json`, also without fields (`{}`).
 */

/** The body of a failed request. 401 has only the code `unauthorized`. */
export interface ApiFailure {
	readonly error: ApiError;
}

/** An error with its explanation. */
export interface ApiError {
	readonly code: string;
	readonly message: string;
	/** What to do about it. */
	readonly hint?: string | undefined;
}

/** A change was made. `command` does the same in a terminal. */
export interface DoneReply {
	readonly isDone: true;
	readonly command: string;
	/** One sentence about what happened, where the action alone does not say it. */
	readonly message?: string | undefined;
}

/** Everything that the overview shows. */
export interface DashboardState {
	readonly hub: HubFacts;
	/** In configuration order; disabled ones too. */
	readonly backends: readonly BackendRow[];
	readonly clients: readonly ClientRow[];
	/** Calls that wait for a person. */
	readonly approvals: readonly ApprovalRow[];
	/** Problems of the configuration, of project trust and of the hub itself. */
	readonly problems: readonly ProblemRow[];
}

export interface HubFacts {
	readonly version: string;
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

/** `mcp` is an MCP server; the others belong to the hub itself or are plugins. */
export type BackendKindName = 'tools' | 'plugin' | 'library' | 'storage' | 'results' | 'mcp' | (string & {});

export interface BackendRow {
	readonly id: string;
	readonly kind: BackendKindName;
	/** One word: `ready`, `idle`, `starting`, `stopped`, `failed`, `known`, `configured`, `disabled`, `held`, … */
	readonly state: string;
	readonly pid: number | null;
	readonly memoryBytes: number | null;
	readonly era: 'legacy' | 'modern' | null;
	readonly version: string | null;
	/** The number of its tools; null when it was never seen. */
	readonly tools: number | null;
	/** Calls in flight and queued. */
	readonly inFlight: number;
	/** Calls in each of the last 30 minutes, the current minute last. */
	readonly callsPerMinute: readonly number[];
	/** Failed calls among those, from 0 to 1. */
	readonly errorRate: number;
	readonly lastError: ApiError | null;
	readonly startedAt: number | null;
	/** When a failed server is started again. */
	readonly nextTryAt: number | null;
	/** Starts after the first one, while the listener is open. */
	readonly restarts: number;
	readonly isEnabled: boolean;
	/** Its catalogue differs from the pinned one, and the change waits for a person. */
	readonly hasDrift: boolean;
	/** What can be done with it now. */
	readonly actions: readonly ServerAction[];
}

export type ServerAction = 'start' | 'stop' | 'restart' | 'enable' | 'disable' | 'accept' | 'hold';

/** A client that is connected, or that called in the last minutes. */
export interface ClientRow {
	readonly sessionId: string;
	readonly name: string;
	readonly version: string | null;
	readonly era: 'legacy' | 'modern' | null;
	/** The revision of MCP. */
	readonly revision: string | null;
	/** How it is connected: `bridge`, `http`, `dashboard`. */
	readonly transport: string;
	readonly since: number;
	readonly calls: number;
	readonly lastCallAt: number | null;
}

export interface ApprovalRow {
	readonly id: string;
	readonly client: string;
	readonly tool: string;
	/** Lines with the arguments, shortened. */
	readonly shown: readonly string[];
	/** The rule that asks, as `file:line`. */
	readonly rule: string;
	readonly reason: string | null;
	readonly askedAt: number;
	readonly expiresAt: number;
	/** The commands that give the same decision. */
	readonly commands: Readonly<Record<ApprovalDecision, string>>;
}

export type ApprovalDecision = 'allow' | 'always' | 'deny';

export interface ApprovalsReply {
	readonly approvals: readonly ApprovalRow[];
}

export interface ApprovalDecisionRequest {
	readonly decision: ApprovalDecision;
}

export interface ProblemRow {
	readonly message: string;
	readonly hint: string | null;
	readonly file: string | null;
	/** The key in the file, such as `mcpServers.github`. */
	readonly key: string | null;
}

/**
 * The events of `/api/events`, by event name; `data` is JSON. The first events are `state` and `approvals`.
 * `calls`, `call` and `log` begin with what happens after the connection.
 */
export interface DashboardEvents {
	/** At most one per second, and only when it differs from the last one. */
	readonly state: DashboardState;
	/** At most 4 per second. */
	readonly calls: CallsEvent;
	/** Of the call in `?call=<number>`: at most 4 per second while it runs, then once more with its end. */
	readonly call: CallDetails;
	/** Lines of the server in `?server=<id>`. */
	readonly log: LogEvent;
	/** When an approval is asked for or given. */
	readonly approvals: ApprovalsReply;
	/** A list of the hub changed: fetch the catalogue again. */
	readonly catalogue: CatalogueEvent;
}

export interface CatalogueEvent {
	/** Compare with `CatalogueReply.version`. */
	readonly version: number;
}

export interface CallsEvent {
	/** Calls that began or ended, oldest first. A row with the same number replaces the earlier one. */
	readonly rows: readonly CallRow[];
	/** Rows that are left out of this event because there were too many; fetch them from `/api/calls`. */
	readonly dropped: number;
	/** Calls that are kept now. */
	readonly total: number;
}

export interface LogEvent {
	readonly server: string;
	readonly lines: readonly LogLine[];
	readonly dropped: number;
}

export interface LogLine {
	readonly at: number | null;
	/** `stdout`: what the server wrote to stdout besides messages. */
	readonly stream: 'stderr' | 'stdout' | 'hub';
	readonly text: string;
}

export type CallOutcome = 'running' | 'ok' | 'failed' | 'error' | 'canceled';

export interface CallRow {
	/** Rising. Negative for calls from the journal that were made before the listener opened. */
	readonly number: number;
	readonly at: number;
	readonly client: string;
	readonly backend: string;
	/** `tools/call`, `prompts/get`, `resources/read`. */
	readonly method: string;
	/** A tool, a prompt or the URI of a resource. */
	readonly name: string;
	readonly outcome: CallOutcome;
	/** Null while it runs. */
	readonly ms: number | null;
	/** The code of an error. */
	readonly error?: string | undefined;
}

export interface CallsReply {
	/** Newest first. */
	readonly rows: readonly CallRow[];
	/** Pass it as `before` for the next rows; null when there are no more. */
	readonly next: number | null;
	/** Calls that match the filter. */
	readonly matched: number;
	/** Calls that are kept. */
	readonly total: number;
}

/** Latency of the calls that match a filter. */
export interface LatencyReply {
	readonly bucketMs: number;
	/** Oldest first, without gaps; at most 120. */
	readonly buckets: readonly LatencyBucket[];
}

export interface LatencyBucket {
	readonly at: number;
	readonly count: number;
	readonly errors: number;
	/** Null in a bucket without calls that ended. */
	readonly p50: number | null;
	readonly p95: number | null;
	readonly max: number | null;
}

export interface CallDetails extends CallRow {
	/** In the order in which they happen: approval, queue, start, run. Empty when nothing was measured. */
	readonly phases: readonly CallPhaseRow[];
	/** The last ones. */
	readonly progress: readonly ProgressRow[];
	/** The last ones. */
	readonly logs: readonly CallLogRow[];
	/** Progress and log messages that are not kept any more. */
	readonly dropped: number;
	readonly explanation: ApiError | null;
	/** The decision of the policy, and its rule as `file:line`. */
	readonly policy: string | null;
	readonly rule: string | null;
	readonly trace: string | null;
	readonly sessionId: string | null;
	/** As JSON, with secrets replaced; null when they are not kept or too large. */
	readonly arguments: string | null;
	readonly resultBytes: number | null;
	/** Makes the same call in a terminal; null when the arguments are not kept. */
	readonly command: string | null;
	/** The call is in a recording, and this command replays it. */
	readonly replay: string | null;
}

export interface CallPhaseRow {
	readonly name: string;
	readonly startMs: number;
	readonly ms: number;
}

export interface ProgressRow {
	readonly at: number;
	readonly progress: number | null;
	readonly total: number | null;
	readonly message: string | null;
}

export interface CallLogRow {
	readonly at: number;
	readonly level: string;
	readonly logger: string | null;
	/** A string, or JSON. */
	readonly text: string;
}

/** Everything that can be called or read, in short rows. */
export interface CatalogueReply {
	/** Rises with each change. */
	readonly version: number;
	readonly backends: readonly string[];
	readonly rows: readonly CatalogueRow[];
}

export type CatalogueKind = 'tool' | 'prompt' | 'resource' | 'template';

/** Kind, name or URI, index in `backends`, and the first line of the description. */
export type CatalogueRow = readonly [CatalogueKind, string, number, string];

/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
	readonly [key: string]: JsonValue;
}

export interface ToolReply {
	readonly name: string;
	readonly backend: string;
	/** As `tools/list` gives it: name, title, description, inputSchema, outputSchema, annotations, icons. */
	readonly tool: JsonObject;
	/** The parameters in one line. */
	readonly signature: string;
	/** The decision of the policy for this client without arguments, and the rule as `file:line`. */
	readonly policy: string | null;
	readonly rule: string | null;
	/** Calls the tool in a terminal; the page adds the arguments as JSON. */
	readonly command: string;
}

export interface SearchReply {
	/** Best first. */
	readonly hits: readonly ToolSearchHit[];
	readonly ms: number;
}

export interface ToolSearchHit {
	readonly kind: CatalogueKind;
	readonly name: string;
	readonly backend: string;
	readonly summary: string;
	readonly score: number;
	readonly why: readonly SearchReason[];
}

/** A word of the query and what it matched. */
export interface SearchReason {
	readonly word: string;
	readonly matched: string;
	/** `word`, `phrase`, `prefix`, `typo`, `related`, `concept`, `meaning`. */
	readonly kind: string;
	readonly fields: readonly string[];
	readonly score: number;
}

export interface ToolCallRequest {
	readonly name: string;
	readonly arguments: JsonObject;
}

export interface PromptRequest {
	readonly name: string;
	readonly arguments: Readonly<Record<string, string>>;
}

/** One line of a call. `result` or `error` is the last one. */
export type CallMessage =
	/** The first line: the number for `/api/calls/<number>`. It is missing when the hub refused the call before it began. */
	| { readonly kind: 'started'; readonly number: number }
	| {
			readonly kind: 'progress';
			readonly progress: number | null;
			readonly total: number | null;
			readonly message: string | null;
	  }
	| { readonly kind: 'log'; readonly level: string; readonly logger: string | null; readonly text: string }
	| { readonly kind: 'ask'; readonly question: CallQuestion }
	/** Progress or log messages were left out, because the page did not read. */
	| { readonly kind: 'dropped'; readonly count: number }
	/** As the server gave it: CallToolResult, GetPromptResult or ReadResourceResult. */
	| { readonly kind: 'result'; readonly result: JsonObject; readonly ms: number }
	| { readonly kind: 'error'; readonly error: ApiError; readonly ms: number };

/** A question of the tool to the person. Answer it with `POST /api/answer`. */
export interface CallQuestion {
	readonly id: string;
	/** `form`: fields by a schema. `url`: a page to open. `approval`: the policy asks whether the call may run. */
	readonly mode: 'form' | 'url';
	readonly message: string;
	/** A flat JSON Schema, for `form`. */
	readonly schema: JsonObject | null;
	readonly url: string | null;
}

export interface AnswerRequest {
	readonly id: string;
	readonly action: 'accept' | 'decline' | 'cancel';
	/** For `accept` of a form. */
	readonly content?: JsonObject | undefined;
}

/** Everything about one backend. */
export interface ServerPage extends BackendRow {
	/** The command or URL of the entry, with secrets replaced; null for the hub's own. */
	readonly target: string | null;
	/** Where its entry is, as `file`; null for the hub's own. */
	readonly source: string | null;
	/** stderr and stray stdout, oldest first. */
	readonly log: readonly LogLine[];
	readonly logFile: string | null;
	readonly catalogue: readonly CatalogueRow[];
	/** Names only, never values. */
	readonly environment: readonly string[];
	readonly history: readonly ServerEvent[];
	/** Rules of the policy that match its tools. */
	readonly rules: readonly PolicyRuleRow[];
	readonly drift: readonly DriftRow[];
	/** The `mctl` command of each action, and of others that may help, by name. */
	readonly commands: Readonly<Record<string, string>>;
}

/** A change of the state of a server. */
export interface ServerEvent {
	readonly at: number;
	readonly state: string;
	readonly pid: number | null;
	readonly message: string | null;
}

export interface PolicyRuleRow {
	readonly decision: string;
	/** The patterns of the rule, in words. */
	readonly match: string;
	/** `file:line` */
	readonly rule: string;
	readonly reason: string | null;
}

/** A part of the catalogue that differs from the pinned one. */
export interface DriftRow {
	readonly kind: CatalogueKind | 'server';
	readonly name: string;
	readonly change: 'added' | 'removed' | 'changed';
	/** For `changed`: the text before and after, for a word diff. */
	readonly before: string | null;
	readonly after: string | null;
	/** What looks suspicious about it. */
	readonly findings: readonly string[];
}

/** The body of a server action. */
export type ServerActionRequest = Readonly<Record<string, never>>;

export interface LibraryReply {
	/** Best first; all documents by URI when the query is empty. */
	readonly matches: readonly LibraryMatch[];
	/** Tokens of the matches that fit the budget. */
	readonly tokens: number;
	readonly budget: number | null;
	readonly total: number;
	readonly ms: number;
}

export interface LibraryMatch {
	readonly uri: string;
	readonly title: string;
	readonly summary: string;
	readonly category: string;
	readonly tags: readonly string[];
	readonly tokens: number;
	/** From 0 to 1, relative to the best. */
	readonly score: number;
	readonly why: readonly SearchReason[];
	/** False for a match that does not fit the budget. */
	readonly isWithinBudget: boolean;
}

export interface LibraryDocument {
	readonly uri: string;
	readonly mimeType: string;
	/** Markdown. */
	readonly text: string;
	readonly tokens: number;
	readonly command: string;
}

export interface SettingsReply {
	/** In order of precedence, the strongest first. */
	readonly files: readonly SettingsFile[];
	/** The configuration as merged, one row per value, with secrets replaced. */
	readonly values: readonly SettingRow[];
	readonly problems: readonly ProblemRow[];
	readonly notes: readonly string[];
}

export interface SettingsFile {
	readonly path: string;
	/** `project`, `user`, `client`. */
	readonly kind: string;
	readonly exists: boolean;
}

export interface SettingRow {
	/** `mcpServers.github.command` */
	readonly key: string;
	/** As JSON. */
	readonly value: string;
	/** The file that it comes from; `default` when no file has it. */
	readonly source: string;
}
