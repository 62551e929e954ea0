/* Every limit and deadline of the hub. */

/** Most routes of one client: a client may name any number of tools. */
export const PLAIN_ROUTES_LIMIT = 1000;

/** Longer arguments are hashed by their value. */
export const CANONICAL_CHARACTERS: number = 64 * 1024;

/** How long a search waits for the skills of servers that start, in milliseconds. */
export const SKILLS_WAIT_MS = 200;

/** How long a request for an unknown item waits for late sources. */
export const CALL_WAIT_MS = 10_000;

/** How long a list waits for a source that only reads files: longer than a slow disk takes. */
export const FILES_WAIT_MS = 60_000;

/** How long changes of a list are collected while servers start, in milliseconds; doubled with each notification. */
export const CHANGE_FEED_COLLECT_MS = 1000;
export const COLLECT_MAX_MS = 8000;
export const KNOWN_LIMIT_BYTES: number = 8 * 1024 * 1024;

/** Most groups of the fabric that are pinned. */
export const PINNED_GROUPS = 200;

/** The hash of a larger text is that of its first bytes. */
export const JOURNAL_HASHED_BYTES: number = 256 * 1024;

/** Only the beginning of a value without a text is encoded above this size. */
export const JOURNAL_ENCODED_CHARACTERS: number = 1024 * 1024;
export const JOURNAL_NAME_CHARACTERS = 1000;

/** Size at which the file is rotated. */
export const JOURNAL_BYTES: number = 8 * 1024 * 1024;

/** Calls whose lines are not made yet. */
export const JOURNAL_WAITING_LIMIT = 256;

/** Journals of processes that have ended: as many as this, and as large together. */
export const SERVE_JOURNALS_LIMIT = 200;
export const SERVE_JOURNALS_BYTES: number = 256 * 1024 * 1024;

/** Lines that wait for the first call. */
export const JOURNAL_EARLY_LINES = 16;

/** Most lines of one program per second. */
export const LINES_PER_SECOND = 200;

/** Interval of the measurement of the event loop, in milliseconds. */
export const LOOP_RESOLUTION_MS = 20;

/** Most subscriptions at a time. */
export const SUBSCRIPTIONS_LIMIT = 10_000;

/** Most subscriptions of one owner. */
export const OWNER_SUBSCRIPTIONS_LIMIT = 1_000;

/** Most filters of a subscription. */
export const FILTERS_LIMIT = 64;

/** Longest topic, subscription id or filter, in characters. */
export const NAME_LIMIT_CHARACTERS = 1_024;

/** Most events that may be queued during the delivery of one event. */
export const QUEUE_LIMIT_EVENTS = 1_000;
export const PLUGIN_VALUE_SHOWN_CHARACTERS = 80;

/** Most events that are queued for one plugin; more are dropped. */
export const OUTBOX_LIMIT_EVENTS = 1_000;

/** How long a plugin may take to accept an event. */
export const EVENT_PUBLISH_MS = 5_000;

/** Most characters of one server. */
export const SERVER_INSTRUCTIONS_CHARACTERS = 2000;

/** Most characters of all servers together. */
export const INSTRUCTIONS_CHARACTERS = 16_000;

/** Room for the line about servers that are left out. */
export const INSTRUCTIONS_REST_CHARACTERS = 80;

/** Most sessions that are remembered; further ones are not shown. */
export const CONNECTED_SESSIONS_LIMIT = 1000;

/** How long a session may be without a connection, in milliseconds. */
export const SESSION_GRACE_MS = 30_000;

/** Sources that are closed together: the exits of a hundred processes at once would leave the hub no CPU. */
export const SOURCES_CLOSED_AT_ONCE = 8;

/** When the next ones are closed, although these are slow. */
export const CLOSE_STEP_MS = 20;
