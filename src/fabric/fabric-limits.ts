/*
 * Times and sizes of the fabric. All times are in milliseconds.
 *
 * They belong together: a worker that is blocked for five seconds must still answer
 * (3 s until the first query + 5 s grace, heartbeats 2 s apart), and a worker that was
 * killed must be noticed within ten.
 */

/** A call that no worker has accepted by then is late: if no worker of its group is left, it is given up. */
export const ACCEPT_MS = 2000;
/** A worker refuses a call that is older than this. */
export const EXPIRY_MS = 5000;
/** Added to `EXPIRY_MS` before a hub gives up a call: clocks differ, and a refusal takes time to arrive. */
export const EXPIRY_MARGIN_MS = 1000;
/** A call that ends within this time is not announced as accepted: its result says so. */
export const ACCEPT_DELAY_MS = 20;
export const HEARTBEAT_MS = 2000;
/** Silence about a call after which the hub queries its worker. */
export const QUERY_AFTER_MS = 3000;
export const QUERY_EVERY_MS = 500;
/** How long queries may stay without an answer. */
export const GRACE_MS = 5000;
/** Silence after which the outcome is unknown although the link of the hub is down. */
export const SILENCE_MS = 30_000;
/** How long a worker retains a result for a query after a reconnect. */
export const RESULT_RETENTION_MS = 60_000;
/** How long before a lost connection results may have been lost with it; they are sent again after the reconnect. */
export const RESEND_WINDOW_MS = 3000;
export const PRESENCE_EVERY_MS = 5000;
/** The same with more workers than this. */
export const PRESENCE_SLOW_MS = 10_000;
export const LARGE_FABRIC_WORKERS = 500;
export const PRESENCE_TTL_MS = 20_000;
/** Silence after which a hub removes a worker by itself: before the TTL, because the server expires keys a little late. */
export const PRESENCE_SILENCE_MS = 19_000;
/** Silence after which a hub that may choose a worker chooses another one. */
export const PRESENCE_LATE_MS = 12_000;
export const PRESENCE_SWEEP_MS = 500;
/** The body of an advertisement is published again before its TTL ends, so that bodies of removed workers vanish. */
export const BODY_EVERY_MS: number = 20 * 60_000;
export const BODY_TTL_MS: number = 60 * 60_000;
/** How long the server retains the marker of a removed key. */
export const MARKER_TTL_MS = 60_000;
/** The pause before the servers are tried again, at first and at most. */
export const RECONNECT_MS = 250;
export const RECONNECT_LONGEST_MS = 1000;
/** How long a server may take to accept a connection: at first, and at most when all were too slow. */
export const ATTEMPT_MS = 2000;
export const ATTEMPT_LONGEST_MS = 16_000;
/** How often the server is pinged when nothing arrives. */
export const PROBE_EVERY_MS = 1000;
/** Signs that are missing until a link is suspect: new calls do not run. */
export const PROBES_SUSPECT = 2;
/** The same until it is given up for a connection to another server. */
export const PROBES_LOST = 4;
export const PING_MS = 10_000;
export const PINGS_OUT = 2;
/** How long one request to the server may take: a write to the bucket, a read. */
export const SERVER_REQUEST_MS = 3000;
/** How often `mctl fabric setup` asks a cluster that has no leader yet, `SERVER_REQUEST_MS` each. */
export const SETUP_ATTEMPTS = 6;
/** How long a user may take to answer a client request of a remote tool. */
export const ANSWER_MS: number = 10 * 60_000;
/** How long a draining hub waits for the calls of others. Below the time that `mctl hub stop` allows. */
export const HUB_DRAIN_MS = 12_000;
/** The same for `mctl worker`, which waits until they end: each has a limit of its own. */
export const WORKER_DRAIN_MS: number = 24 * 60 * 60_000;
/** How often a draining worker logs how many calls still run. */
export const DRAIN_REPORT_MS = 10_000;

export const CHUNK_BYTES: number = 256 * 1024;
/** Chunks of one result that may be in flight without an acknowledgement. */
export const CHUNK_WINDOW = 8;
export const ACK_EVERY = 4;
/** Chunks in flight from one worker to one hub: 16 MB, a quarter of what a server buffers for a connection. */
export const HUB_WINDOW = 64;
/** Largest result that a hub accepts from a worker. */
export const RESULT_LIMIT_BYTES: number = 256 * 1024 * 1024;
/** Results of one message that a worker retains, in bytes; above it the oldest are dropped. */
export const RETAINED_RESULTS_BYTES: number = 64 * 1024 * 1024;
/** Large results that have not arrived yet, in bytes; above it a worker refuses calls. */
export const UNSENT_RESULTS_BYTES: number = 512 * 1024 * 1024;
/** Calls in flight at one worker, unless its configuration has another limit; above it calls are refused. */
export const WORKER_CALLS_LIMIT = 1024;
/** Calls in flight of one hub. */
export const HUB_CALLS_LIMIT = 10_000;
/** Least `max_payload` of a NATS server: a chunk or a part of an advertisement, with its headers. */
export const MESSAGE_BYTES: number = 512 * 1024;
/** Size of the bucket: 25 times that of 1,000 workers with 20 tools each. */
export const BUCKET_BYTES: number = 256 * 1024 * 1024;
/** Largest part of an advertisement in one key of the bucket. */
export const BODY_BYTES: number = 256 * 1024;
/** Labels of a worker. */
export const LABELS_LIMIT = 32;
/** Workers whose calls a hub counts, and failures that it remembers. */
export const COUNTED_WORKERS = 10_000;
export const SHOWN_FAILURES_LIMIT = 20;
/** A worker that refused a call of a tool gets another call of it later than this, unless all have. */
export const REFUSED_MS = 1000;
export const REFUSALS_LIMIT = 10_000;
/** How long a worker is full before it says so. */
export const PRESENCE_LOAD_MS = 250;
/** How long a worker may take to accept an order of the administrator. */
export const ORDER_MS = 5000;

/** How long an administrator waits for a connection. */
export const ADMINISTRATOR_CONNECT_MS = 5000;

/** Changes of what others advertise within this time are reported together. */
export const ADVERTISED_DEBOUNCE_MS = 10;
/** Wait before the bucket is read again after a failure. */
export const BUCKET_RETRY_MS = 500;

/** Keys that are gone, so that an older value does not bring one back. Bounded by the number of workers. */
export const GONE_KEYS_LIMIT = 10_000;

export const ADVERTISED_NAME_CHARACTERS = 256;
/** Most tools of one body, and of one group. */
export const ADVERTISED_TOOLS_LIMIT = 10_000;

export const BUCKET_BATCH_BYTES: number = 32 * 1024 * 1024;

export const PRESENCE_HASHES_LIMIT = 64;
export const PRESENCE_TEXT_CHARACTERS = 128;

/** Wait after presence could not be written, at first and at most, for example while a cluster elects a leader. */
export const PRESENCE_RETRY_MS = 500;
export const PRESENCE_RETRY_LONGEST_MS = 2000;

/** How long the first list waits for the fabric. */
export const FABRIC_FIRST_LIST_MS = 1500;
/** How long a call before the bucket was read waits for them. */
export const FABRIC_CALL_WAIT_MS = 8000;
/** Names of tools that were listed before, for the error of a call. */
export const GONE_NAMES_LIMIT = 20_000;

/** The longest header value that is sent. */
export const MESSAGE_HEADER_CHARACTERS = 1000;

/** How long `close` waits for the server to take what was sent. */
export const LINK_FLUSH_MS = 2000;
/** How long `close` waits for an attempt to connect. */
export const LINK_CLOSE_MS = 200;

/** Wait after a refused subscription, at first and at most. */
export const SUBSCRIBE_RETRY_MS = 1000;
export const SUBSCRIBE_RETRY_LONGEST_MS = 30_000;

/** Changes of our tools within this time are published together. */
export const ADVERTISE_DEBOUNCE_MS = 10;

/** Shortest time between two progress messages of a call. */
export const PROGRESS_EVERY_MS = 20;
/** Log messages of a call within one period. */
export const CALL_LOGS_LIMIT = 200;
/** The same that a hub passes on: a worker that respects its limit never reaches it. */
export const HUB_CALL_LOGS_LIMIT: number = 2 * CALL_LOGS_LIMIT;
export const CALL_LOG_PERIOD_MS = 1000;

/** Client requests of one call that a hub passes on at once, and answers that it remembers for a repeated request. */
export const CLIENT_REQUESTS_LIMIT = 64;
export const ANSWERS_LIMIT = 256;
/** The most rounds of client requests in one call. */
export const REMOTE_ROUNDS_LIMIT = 16;
export const REMOTE_SESSION_CHARACTERS = 100;

export const REMOTE_SESSION_IDLE_MS: number = 10 * 60_000;
export const REMOTE_SESSION_SWEEP_MS = 60_000;

/** Size of a retained result besides its text. */
export const RESULT_OVERHEAD_BYTES = 300;
