/* Every limit and deadline of the sources of the hub. */

/** Size that is stored, in characters. */
export const RING_CHARACTERS: number = 256 * 1024;

/** Longest line; the rest of it is cut. */
export const LOG_LINE_CHARACTERS: number = 8 * 1024;

/** How much of a line is searched for secrets before it is cut. */
export const RAW_LINE_CHARACTERS: number = 2 * LOG_LINE_CHARACTERS;

/** Lines that are retained. */
export const LOG_RING_LINES = 5000;

/** Log lines of the hub that are retained apart. */
export const LOG_REMARKS_LIMIT = 100;

/** Lines of stderr among which those that say most are searched. */
export const LOG_ERROR_LINES = 200;

/** How long a catalogue without a TTL of its own is fresh, in milliseconds. */
export const KNOWN_TTL_MS: number = 24 * 60 * 60 * 1000;

/** The least TTL: some servers say 0, and each list would start them. */
export const KNOWN_TTL_LEAST_MS = 60_000;

/** Least time between two reads of changed lists, in milliseconds. */
export const CHANGES_GAP_MS = 500;

/** The largest gap. */
export const CHANGES_GAP_LIMIT_MS = 10_000;

/** How often a lock that another process holds is tried again, in milliseconds. */
export const LEARNING_LOCK_POLL_MS = 100;

/** Largest file of variables. */
export const ENV_FILE_BYTES: number = 1024 * 1024;

/** Longest header; a listener refuses much longer ones. */
export const CHAIN_HEADER_CHARACTERS = 8_000;

/** How many lines of stderr and stdout the error has. */
export const FAILURE_LAST_LINES = 10;

/** Size of the file at which it is rotated. */
export const LOG_FILE_BYTES: number = 4 * 1024 * 1024;

/** Most sessions with a process of their own. */
export const POOL_SESSIONS_LIMIT = 1000;

/** How long a server that is broken is not started. */
export const POOL_FAILED_MS: number = 5 * 60_000;

/** Most starts at a time. */
export const STARTS_AT_ONCE = 4;

/** How long a start may hold its slot while an urgent one waits, in milliseconds. Below `LIST_WAIT_MS`. */
export const SLOT_MS = 1000;

/** Most elicitation and sampling requests of a server during one call. */
export const CLIENT_REQUESTS_PER_CALL = 100;

/** Most of them within a minute, over all calls. */
export const CLIENT_REQUESTS_PER_MINUTE = 300;

/** Longest file name made of the name of a server, without the ending. */
export const FILE_NAME_CHARACTERS = 100;

/** Changes of a client within this time are one notification, in milliseconds. */
export const ROOTS_QUIET_MS = 50;

/** Longest delay of the notification. */
export const ROOTS_LATEST_MS = 500;

/** Most pages that are remembered; the oldest is dropped. */
export const OPENED_PAGES_LIMIT = 1000;
export const LOGGED_PIN_CHANGES_LIMIT = 5;

/** Most findings of one server that are logged at a time. */
export const LOGGED_FINDINGS_LIMIT = 5;

/** Longest time that calls wait for the scan, in milliseconds. */
export const TOOL_SCANS_SLICE_MS = 5;

/** Longest message of a server, in bytes, unless `limits.messageBytes` is larger. */
export const SERVER_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** Most names in one list of a manifest, and the longest name. */
export const MANIFEST_NAMES_LIMIT = 64;
export const MANIFEST_NAME_CHARACTERS = 128;

/** Timeout of a health check. */
export const PLUGIN_HEALTH_MS = 5000;

/** Above this size children are started by a small helper process: forking a large process is slow. */
export const LARGE_PROCESS_BYTES: number = 256 * 1024 * 1024;
