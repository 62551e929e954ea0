/* Every limit and deadline of the transports. */

/** How long to wait for the exit status after stdout closed, in milliseconds. */
export const EXIT_WAIT_MS = 500;

/** High-water marks of the mailbox: number of values, and characters of their text. */
export const MAILBOX_VALUES = 10_000;
export const MAILBOX_CHARACTERS: number = 64 * 1024 * 1024;

/** Batch size that is written before the turn ends, in characters. */
export const JOINED_LINES_CHARACTERS = 8192;

/** High-water mark: above this many queued messages, `post` returns false. */
export const MEMORY_QUEUE_MESSAGES = 1024;

/** Drain timeout for requests in flight after the end of input, in milliseconds. */
export const DRAIN_MS = 5000;

/** The same after a signal. */
export const SIGNAL_DRAIN_MS = 1000;

/** Timeout of the final flush after a signal or a stall, in milliseconds. */
export const LAST_FLUSH_MS = 1000;

/** Any interval will do: a pending timer keeps the process alive. */
export const KEEP_ALIVE_MS = 60_000;

/** Interval of the check. */
export const STDOUT_CHECK_MS = 1000;

/** High-water mark of a writer: above it, `post` returns false. */
export const HIGH_WATER_BYTES: number = 1024 * 1024;

/** How long a handshake may take, in milliseconds. */
export const WS_OPEN_MS = 20_000;

/** How long the other end may take to agree to the end. */
export const WS_CLOSE_MS = 1000;

/** Default of `pingMs`. */
export const WS_PING_MS = 15_000;
