/* Every limit and deadline of MCP servers and clients. */

/** How long a server may take to acknowledge a subscription, in milliseconds. */
export const SUBSCRIPTION_ACKNOWLEDGE_MS = 10_000;

/** Delays before a subscription that the server ended is opened again, in milliseconds. */
export const RELISTEN_FIRST_MS = 500;
export const RELISTEN_MAX_MS = 30_000;

/** A subscription that lasted this long resets the backoff. */
export const SUBSCRIPTION_STABLE_MS = 60_000;

/** The pause before the probe of a remote server is repeated, in milliseconds. */
export const PROBE_AGAIN_MS = 500;

/** The least time for the answer to the probe of a server that refused `initialize`, in milliseconds: it runs now. */
export const LAST_PROBE_MS = 2000;

/** Most rounds of one call. */
export const INPUT_ROUNDS_LIMIT = 16;

/** Most client requests in one round. */
export const CLIENT_REQUESTS_LIMIT = 64;

/** Delays before a call is repeated for a server that wants only a retry, in milliseconds. */
export const RETRY_FIRST_MS = 50;
export const RETRY_MAX_MS = 2000;

/** Silence after the probe that makes a server legacy, in milliseconds. */
export const CHILD_PROBE_MS = 2000;

/** The same for a remote server, which may have to wake up first. */
export const REMOTE_PROBE_MS = 10_000;

/** Default deadline of start and handshake, in milliseconds: the first start with `npx` downloads the server. */
export const SERVER_START_MS = 60_000;

/** How long a failed server may take to stop before the error is reported without its last lines. */
export const LAST_LINES_MS = 1000;

/** Most values a completion may have. */
export const COMPLETION_VALUES_LIMIT = 100;

/** Most further names of one connection; requests of others count as those of the first one. */
export const SESSION_NAMES_LIMIT = 16;

/** Longest part of a name that distinguishes clients. */
export const SESSION_NAME_CHARACTERS = 200;

/** How long a client may take to answer a client request, in milliseconds. */
export const CLIENT_ANSWER_MS: number = 10 * 60 * 1000;

/** How long a client may take to list its roots outside a call. */
export const ROOTS_ANSWER_MS = 30_000;

/** Most rounds of client requests that a provider may need for one call. */
export const LEGACY_INPUT_ROUNDS_LIMIT = 8;

/** Least time between two notifications of one kind, in milliseconds. */
export const LIST_CHANGED_GAP_MS = 1000;

/** TTL of a list for a client without a subscription, in milliseconds. */
export const LIST_TTL_MS = 10_000;

/** Items on one page. Large, because many clients read only the first. */
export const PAGE_ITEMS = 1000;

/** Most resources that one client may subscribe to. */
export const RESOURCE_SUBSCRIPTIONS_LIMIT = 10_000;

/** An updated resource is looked up under at most this many resources above it. */
export const SUBSCRIPTION_PARENTS_LIMIT = 64;

/** Most open subscriptions of one session. */
export const LISTEN_REQUESTS_LIMIT = 1024;

/** Most calls that may be suspended at once. */
export const SUSPENDED_CALLS_LIMIT = 1000;
