/* Every limit of the dashboard. Tests pass smaller ones. */
export interface DashboardLimits {
	/** How long a login code can be used, in milliseconds. */
	readonly codeMs: number;
	/** Login codes that nobody used yet. */
	readonly codes: number;
	/** A browser that sends nothing for this time must log in again, in milliseconds. */
	readonly loginMs: number;
	readonly logins: number;
	/** Longest body of a request, in bytes. */
	readonly bodyBytes: number;
	readonly eventStreams: number;
	/** Unread bytes of a stream above which events and messages are dropped. */
	readonly unreadBytes: number;
	/** Interval of the events, in milliseconds. */
	readonly tickMs: number;
	/** Interval of `state` and of the look for approvals, in milliseconds. */
	readonly stateMs: number;
	/** Interval of `ping` on a stream without other events, in milliseconds. */
	readonly pingMs: number;
	/** Rows of one `calls` event. */
	readonly eventRows: number;
	/** Lines of one `log` event. */
	readonly eventLines: number;
	/** How long calls are followed after the last request of a page, in milliseconds. */
	readonly followMs: number;
	/** Calls that are retained. */
	readonly calls: number;
	/** Calls whose arguments, progress and errors are retained: the last ones, and as many that failed or were slow. */
	readonly details: number;
	/** All of that, in characters. */
	readonly detailCharacters: number;
	/** A call is slow from this time on, in milliseconds. */
	readonly slowMs: number;
	/** Calls of the page in flight. */
	readonly pageCalls: number;
	/** Commands that run for the page. */
	readonly commandsAtOnce: number;
	/** How long a command may take, in milliseconds. A sign-in waits for the user. */
	readonly commandMs: number;
	/** Longest answer of a command, in characters. */
	readonly commandAnswerCharacters: number;
	/** Longest line of a command besides its answer, in bytes. */
	readonly commandLineBytes: number;
}

export const defaultDashboardLimits: DashboardLimits = {
	codeMs: 5 * 60_000,
	codes: 16,
	loginMs: 12 * 60 * 60_000,
	logins: 64,
	bodyBytes: 10 * 1024 * 1024,
	eventStreams: 64,
	unreadBytes: 256 * 1024,
	tickMs: 250,
	stateMs: 1000,
	pingMs: 10_000,
	eventRows: 100,
	eventLines: 200,
	followMs: 60_000,
	calls: 100_000,
	details: 2000,
	detailCharacters: 32 * 1024 * 1024,
	slowMs: 1000,
	pageCalls: 32,
	commandsAtOnce: 4,
	commandMs: 10 * 60_000,
	commandAnswerCharacters: 4 * 1024 * 1024,
	commandLineBytes: 64 * 1024,
};

/** Replies above this size are compressed, in bytes. */
export const COMPRESSED_FROM_BYTES: number = 8 * 1024;

/** Most rows of a reply, and hits of a search. */
export const REPLY_ROWS_LIMIT = 1000;
export const SEARCH_HITS_LIMIT = 200;

/** How long the page waits before it connects again, in milliseconds. */
export const PAGE_RETRY_MS = 1000;

/** Larger arguments are not retained, in characters. */
export const CALL_ARGUMENT_CHARACTERS = 4096;
/** Longest message of a call. */
export const CALL_MESSAGE_CHARACTERS = 1000;
/** Counted for a call or a message besides its text, in characters. */
export const CALL_OBJECT_CHARACTERS = 200;

/** Calls in flight that are followed; further ones get a row when they end. */
export const FOLLOWED_CALLS_LIMIT = 10_000;

/** Pairs of a client and a source in the overview; those with fewer calls are left out. */
export const FLOWS_LIMIT = 400;

/** Longest side of one difference between two answers. */
export const DIFFERENCE_SIDE_CHARACTERS = 4000;

/** Longest name that is stored; the rest of it is cut. */
export const INTERNED_CHARACTERS = 300;

/** How much of the end of the journal is read, in bytes: about 10,000 calls, in less than a tenth of a second. */
export const JOURNAL_TAIL_BYTES: number = 4 * 1024 * 1024;

/** Sources that are counted; those of a configuration are fewer. */
export const COUNTED_SOURCES_LIMIT = 5000;

/** A call of the page ends after this time, in milliseconds: its server has a shorter limit. */
export const PAGE_CALL_MS: number = 60 * 60_000;
/** Questions of one call that wait at once. */
export const CLIENT_REQUESTS_LIMIT = 16;

/** Largest file of the page, in bytes. */
export const PAGE_FILE_BYTES: number = 4 * 1024 * 1024;

/** Longest first line of a description in a list. */
export const LISTED_SUMMARY_CHARACTERS = 120;

/** Longest query of the catalogue. */
export const CATALOGUE_QUERY_CHARACTERS = 1000;

export const LIBRARY_BUDGET_LIMIT = 1_000_000;

/** Least time between two runs of `ps`, in milliseconds. */
export const PS_MS = 15_000;
export const PS_TIMEOUT_MS = 5000;
export const MEMORY_ROUND_BYTES: number = 256 * 1024;

/** Clients whose reach is computed: connected ones, and as many of the configuration. */
export const REACH_CLIENTS_LIMIT = 50;

export const SETTING_DEPTH = 6;
/** Longest value of a setting. */
export const SETTING_CHARACTERS = 500;

/** Rows of a reply with settings. */
export const SETTING_ROWS_LIMIT = 5000;

/** How often the version of the files is read, in milliseconds. */
export const FILES_READ_MS = 10_000;

/** How long a report about usage is given again, for pages that ask for the same time. */
export const USAGE_FRESH_MS = 5000;
