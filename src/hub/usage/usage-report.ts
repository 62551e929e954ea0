/*
 * What the calls of a project cost, and which of its servers and tools are not used. Types only:
 * the command, the API of the dashboard and the page share them.
 *
 * Times are milliseconds since 1970. Tokens are estimates of four characters each.
 */

/** Tokens that an agent did not have to read, by what spared them. */
export interface SavedTokens {
	/** Definitions behind the search tools. */
	readonly search: number;
	/** Definitions outside of the view of the client. */
	readonly views: number;
	/** Parts of results above the budget or the limit of a result. */
	readonly budget: number;
}

export interface UsageNumbers {
	readonly calls: number;
	/** Calls that failed, ended with an error or were canceled. */
	readonly failed: number;
	/** Null without calls. */
	readonly p50Ms: number | null;
	readonly p95Ms: number | null;
	readonly argumentTokens: number;
	/** The tokens of the results as their servers returned them. */
	readonly resultTokens: number;
	/**
	 * Of a server or a tool: the definitions in the tool list, once; null when it is not known. Of a client and of all:
	 * the definitions in all lists that clients read.
	 */
	readonly definitionTokens: number | null;
	readonly saved: SavedTokens;
}

/** The calls of a server, of a tool or of a client. */
export interface UsageRow extends UsageNumbers {
	readonly name: string;
	/** The server of a tool; null for other rows. */
	readonly server: string | null;
	readonly lastCallAt: number | null;
}

/** Calls over time, in parts of equal length. */
export interface UsageTimeline {
	readonly from: number;
	readonly stepMs: number;
	readonly calls: readonly number[];
	readonly failed: readonly number[];
	/** The tokens of arguments and results. */
	readonly tokens: readonly number[];
}

/** A server or a tool without a call in the last `UsageReport.unusedDays`. */
export interface UnusedRow {
	readonly kind: 'server' | 'tool';
	readonly name: string;
	readonly server: string;
	/** The tokens of its definitions in each list of all tools. */
	readonly definitionTokens: number;
	/** Leaves it out. */
	readonly command: string;
}

export interface UsageReport {
	readonly since: number;
	readonly until: number;
	/** The first line of the journals that was read; null when there is none. What was earlier is not known. */
	readonly journalFrom: number | null;
	/** Older lines, or further names, were left out for their number. */
	readonly isCut: boolean;
	readonly totals: UsageNumbers;
	/** The servers with the most calls first. */
	readonly servers: readonly UsageRow[];
	readonly tools: readonly UsageRow[];
	readonly clients: readonly UsageRow[];
	readonly timeline: UsageTimeline;
	readonly unusedDays: number;
	/** Servers first, then the tools of other servers; the most expensive first. */
	readonly unused: readonly UnusedRow[];
}

/** A tool of the list, with its price. */
export interface ToolCost {
	readonly name: string;
	readonly server: string;
	readonly tokens: number;
}
