/* Every limit and timeout of the bridge, and its id. */

/** The id under which the bridge registers and calls tools. */
export const BRIDGE_ID = 'transport.stdio';

/** How long a message is queued while the connection is lost, before it fails. */
export const QUEUE_MS = 5_000;

/** The same for messages before the first connection: the hub may have to be started. */
export const HUB_START_MS = 20_000;

/**
 * High-water mark of the queue to the hub, in characters, and the overhead of one queued message; above it the
 * client is not read. An agent may write 10 MiB of short requests before it reads a response.
 */
export const QUEUE_CHARACTERS: number = 64 * 1024 * 1024;
export const QUEUED_MESSAGE_CHARACTERS = 200;

/** High-water mark of the output to a client that does not read, in characters; above it the hub is not read. */
export const OUTPUT_CHARACTERS: number = 64 * 1024 * 1024;

/** How long a client may read nothing while its pipe is full. */
export const STALLED_MS = 60_000;

/** How long the hub may take to answer `initialize` before the bridge answers. */
export const INITIALIZE_MS = 2_000;

/** The same for a client that goes on without our tools soon, while no hub is connected. */
export const EARLY_INITIALIZE_MS = 300;

/** How long requests wait for the roots of the client. */
export const ROOTS_MS = 1_000;

/** Roots of a client that are looked at. */
export const ROOTS_LIMIT = 100;

/** How long flushing the last responses may take when the bridge ends. */
export const FLUSH_MS = 1_000;

/** How long closing the connection to the hub may take when the bridge ends. */
export const DISCONNECT_MS = 3_000;

/** Backoff between connection attempts: first and longest delay. */
export const RECONNECT_FIRST_MS = 100;
export const RECONNECT_MAX_MS = 5_000;

/** A connection that lasted this long resets the backoff. */
export const STABLE_MS = 1_000;

/** How long in-flight calls may take after the end of input, and after the last of them that ended. */
export const BRIDGE_DRAIN_MS = 5_000;

/** How long the orchestrator may take to answer the registration, which is optional. */
export const REGISTER_MS = 2_000;

/** How long the orchestrator may take to answer the probes for prompts and storage. */
export const ORCHESTRATOR_PROBE_MS = 1_000;

/** Timeout of a tool call: a last resort, because the client has its own deadline. */
export const TOOL_CALL_MS: number = 60 * 60_000;

/** How long a bridge that shuts down waits for a connection attempt in progress. */
export const LATE_CONNECT_MS = 500;

/** Interval of the health check of the shared hub. */
export const HEALTH_CHECK_MS = 5_000;

/** How long a hub that seems blocked may take to answer before the connection is dropped. */
export const HEALTH_RESPONSE_MS = 5_000;

/** How long a client may send requests to a bridge that can never connect; each is answered with the reason. */
export const REFUSAL_MS = 3_000;
