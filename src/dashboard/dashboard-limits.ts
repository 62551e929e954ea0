/* Every limit of the dashboard. Tests pass smaller ones. */
const defaults = {
	/** How long a login code can be used, in milliseconds. */
	codeMs: 5 * 60_000,
	/** Unused login codes. */
	codes: 16,
	/** A browser that sends nothing for this time must log in again, in milliseconds. */
	loginMs: 12 * 60 * 60_000,
	logins: 64,
	/** Longest body of a request, in bytes. */
	bodyBytes: 10 * 1024 * 1024,
	eventStreams: 64,
	/** Unread bytes of a stream above which events and messages are dropped. */
	unreadBytes: 256 * 1024,
	/** Interval of the events, in milliseconds. */
	tickMs: 250,
	/** Interval of `state` and of the look for approvals, in milliseconds. */
	stateMs: 1000,
	/** Interval of `ping` on a stream without other events, in milliseconds. */
	pingMs: 10_000,
	/** Rows of one `calls` event. */
	eventRows: 100,
	/** Lines of one `log` event. */
	eventLines: 200,
	/** How long calls are followed after the last request of a page, in milliseconds. */
	followMs: 60_000,
	/** Calls that are retained. */
	calls: 100_000,
	/** Calls whose arguments, progress and errors are retained: the last ones, and as many that failed or were slow. */
	details: 2000,
	/** All of that, in characters. */
	detailCharacters: 32 * 1024 * 1024,
	/** A call is slow from this time on, in milliseconds. */
	slowMs: 1000,
	/** Calls of the page in flight. */
	pageCalls: 32,
	/** Commands that run for the page. */
	commandsAtOnce: 4,
	/** How long a command may take, in milliseconds. A sign-in waits for the user. */
	commandMs: 10 * 60_000,
	/** Longest answer of a command, in characters. */
	commandAnswerCharacters: 4 * 1024 * 1024,
	/** Longest line of a command besides its answer, in bytes. */
	commandLineBytes: 64 * 1024,
};

export type DashboardLimits = Readonly<Record<keyof typeof defaults, number>>;

export const defaultDashboardLimits: DashboardLimits = defaults;

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
/** Client requests of one call that wait at once. */
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
