/* Every limit and deadline of calls and of the supervisor. */

/** Most places. */
export const CALL_TABLE_PLACES_LIMIT = 512;

/** As many last characters of a text decide about its place. */
export const CALL_TABLE_LAST_CHARACTERS = 4;

/** Most requests of the peer in flight. Further ones are queued; when the queue is full, they are refused. */
export const INCOMING_LIMIT = 10_000;

/** A response up to this size is sent in any case: the error in its place would be as large. */
export const SMALL_RESPONSE_CHARACTERS = 512;

/** A shorter message is below every bound of a response, and is scanned at once. */
export const LONG_CHARACTERS: number = 1024 * 1024;

/** Default timeout of a request, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** JavaScript timers overflow above this, and fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** The first and the longest delay before a restart, in milliseconds. */
export const RESTART_FIRST_MS = 1000;
export const RESTART_MAX_MS = 30_000;

/** Uptime that resets the backoff. */
export const STABLE_RUN_MS: number = 10 * 60_000;

/** So many crashes without an answer within a minute make a program failed. */
export const CRASH_LIMIT = 5;
export const CRASH_WINDOW_MS = 60_000;

/** The longest delay that a server can ask for. */
export const RETRY_AFTER_MAX_MS: number = 60 * 60_000;

/** How long a call waits for the restart after a crash, in milliseconds; above it the call fails with the reason. */
export const RESTART_WAIT_MS = 5000;

/** Interval of the health checks. */
export const HEALTH_INTERVAL_MS = 10_000;

/** After this many failed health checks in a row it counts as crashed. */
export const FAILED_CHECKS_LIMIT = 3;

/** How long until a start that failed without being a crash is tried again for those that need it. */
export const UNCOUNTED_RETRY_MS = 30_000;

/** Longest slice, in milliseconds. */
export const SLICE_MS = 8;
