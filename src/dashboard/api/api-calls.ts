/* Calls in the dashboard's API: rows, details, and a call that the page makes. Types only. */
import type { ApiError, ApiObject } from './api-types.ts';

export type CallOutcome = 'running' | 'ok' | 'failed' | 'error' | 'canceled';

export interface CallRow {
	/** Rising, from 1 on. */
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

export interface CallsEvent {
	/** Calls that began or ended, oldest first. A row with the same number replaces the earlier one. */
	readonly rows: readonly CallRow[];
	/** Rows that are left out of this event because there were too many; fetch them from `/api/calls`. */
	readonly dropped: number;
	/** Calls that are retained now. */
	readonly total: number;
}

export interface CallsReply {
	/** Newest first. */
	readonly rows: readonly CallRow[];
	/** Pass it as `before` for the next rows; null when there are no more. */
	readonly next: number | null;
	/** Calls that match the filter. */
	readonly matched: number;
	/** Calls that are retained. */
	readonly total: number;
}

/** Latency of the calls that match a filter. */
export interface LatencyReply {
	readonly bucketMs: number;
	/** Oldest first, without gaps; at most 120. */
	readonly buckets: readonly LatencyBucket[];
}

export interface LatencyBucket extends DurationSummary {
	readonly at: number;
}

/** Calls that ended, and how long they took. The durations are null when there are none. */
export interface DurationSummary {
	readonly count: number;
	readonly errors: number;
	readonly p50: number | null;
	readonly p95: number | null;
	readonly p99: number | null;
	readonly max: number | null;
}

/** Calls that took `fromMs` or more and less than `toMs`. */
export interface HistogramBar {
	readonly fromMs: number;
	readonly toMs: number;
	readonly count: number;
}

/** The calls that are retained, for the overview. */
export interface OverviewReply extends LatencyReply {
	readonly all: DurationSummary;
	readonly histogram: readonly HistogramBar[];
	/** The flows of all clients and sources, whatever the filter; the most used first. */
	readonly flows: readonly CallFlow[];
	readonly busiest: readonly ToolUse[];
	/** The slowest by their mean duration. */
	readonly slowest: readonly ToolUse[];
}

/** Calls of one client to one source. */
export interface CallFlow {
	readonly client: string;
	readonly backend: string;
	readonly count: number;
	readonly errors: number;
}

export interface ToolUse extends DurationSummary {
	readonly name: string;
	readonly backend: string;
}

export interface CallDetails extends CallRow {
	/** The phase that a running call is in; null when it has ended. */
	readonly phase: string | null;
	/** The phases in their order: approval, queue, start, run. The last one of a running call goes on. Empty when they are not stored. */
	readonly phases: readonly CallPhaseRow[];
	/** The last ones. */
	readonly progress: readonly ProgressRow[];
	/** The last ones. */
	readonly logs: readonly CallLogRow[];
	/** Progress and log messages that are not retained any more. */
	readonly dropped: number;
	readonly explanation: ApiError | null;
	/** The decision of the policy, and its rule as `file:line`. */
	readonly policy: string | null;
	readonly rule: string | null;
	/** The id of the plan that made it, or that it ran. */
	readonly plan: string | null;
	readonly trace: string | null;
	/** The worker of the fabric that accepted it. */
	readonly worker: string | null;
	readonly sessionId: string | null;
	/** The arguments as JSON, with secrets replaced; null when they are not retained or too large. */
	readonly arguments: string | null;
	readonly resultBytes: number | null;
	/** Makes the same call in a terminal; null when the arguments are not retained. */
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

/** Call a tool, or get a prompt, whose arguments are strings. */
export interface CallRequest {
	readonly name: string;
	readonly arguments: ApiObject;
}

/** One line of a call. `result` or `error` is the last one. */
export type CallMessage =
	/** The first line: the number for `/api/calls/<number>`. It is missing when the hub refused the call before it began. */
	| { readonly kind: 'started'; readonly number: number }
	| ({ readonly kind: 'progress' } & ProgressRow)
	| ({ readonly kind: 'log' } & CallLogRow)
	| { readonly kind: 'ask'; readonly elicitation: CallElicitation }
	/** Progress or log messages were left out, because the page did not read. */
	| { readonly kind: 'dropped'; readonly count: number }
	/** The result as the server gave it: CallToolResult, GetPromptResult or ReadResourceResult. */
	| ({ readonly kind: 'result'; readonly result: ApiObject } & EndedPageCall)
	| ({ readonly kind: 'error'; readonly error: ApiError } & EndedPageCall);

interface EndedPageCall {
	readonly ms: number;
	readonly comparison?: AnswerComparison | undefined;
}

/** The answer of a replayed call beside the recorded one. */
export interface AnswerComparison {
	readonly isSame: boolean;
	/** The first ones. A side without a value at the path is null. */
	readonly differences: readonly {
		readonly path: string;
		readonly before: string | null;
		readonly after: string | null;
	}[];
}

/** An elicitation of the tool. Answer it with `POST /api/answer`. */
export interface CallElicitation {
	readonly id: string;
	/** `form`: fields by a schema. `url`: a page to open. */
	readonly mode: 'form' | 'url';
	readonly message: string;
	/** A flat JSON Schema, for `form`. */
	readonly schema: ApiObject | null;
	readonly url: string | null;
}

export interface AnswerRequest {
	readonly id: string;
	readonly action: 'accept' | 'decline' | 'cancel';
	/** The values of the user, with `accept`. */
	readonly content?: ApiObject | undefined;
}
