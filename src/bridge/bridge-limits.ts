/* Every bound and every wait of the bridge, by name, and its own name. */

/** Under which the bridge registers and calls tools. */
export const BRIDGE_ID = 'transport.stdio';

/** How long a message waits for a connection that was lost, before it is refused. */
export const HOLD_MS = 5_000;

/** How long the first messages wait while the first connection is being made; a hub may have to be started. */
export const HUB_START_MS = 20_000;

/**
 * What may wait in the bridge before reading from the client stops: characters, and as many more for each
 * message as it costs beside its text. An agent may write 10 MiB of short requests before it reads an answer.
 */
export const HELD_CHARACTERS: number = 64 * 1024 * 1024;
export const HELD_MESSAGE_CHARACTERS = 200;

/** Characters that may wait for a client that does not read, before reading from the hub stops. */
export const UNREAD_CHARACTERS: number = 64 * 1024 * 1024;

/** How long a client may read nothing while more than the high-water mark waits for it. */
export const UNREAD_MS = 60_000;

/** How long the hub may take to answer `initialize`; then the bridge answers. */
export const INITIALIZE_MS = 2_000;

/** How long the last answers may take to leave when the bridge ends. */
export const FLUSH_MS = 1_000;

/** Pauses between attempts to connect: the first, doubled each time, up to the last. */
export const RECONNECT_FIRST_MS = 100;
export const RECONNECT_LONGEST_MS = 5_000;

/** A connection that lived this long was a good one: the next attempt is made at once. */
export const STEADY_MS = 1_000;

/** How long calls in flight may take after the end of input. */
export const BRIDGE_DRAIN_MS = 5_000;

/** How long the orchestrator may take to answer the registration; it works without. */
export const REGISTER_MS = 2_000;

/** How long the orchestrator may take to say whether it has prompts and storage. */
export const ORCHESTRATOR_PROBE_MS = 1_000;

/** How long a tool may take. The client has a deadline of its own; this only catches what everybody forgot. */
export const TOOL_CALL_MS: number = 60 * 60_000;

/** How long a bridge that ends waits for an attempt to connect that is under way. */
export const LATE_HUB_MS = 500;

/** How often a bridge looks whether the shared hub is blocked. */
export const WATCH_MS = 1_000;

/** How long a hub that seems to be blocked may take to answer, before calls in flight are given up. */
export const WATCH_ANSWER_MS = 5_000;
