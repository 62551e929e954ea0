/* Every bound and every wait of the links, by name. */

/** What both ends must offer in the TLS handshake. */
export const LINK_PROTOCOL = 'orchestra-plugin';

/** A connection that is silent for this long is over, as both ends announce. */
export const IDLE_MS: number = 5 * 60_000;

/** An idle connection is pinged this often. */
export const KEEP_ALIVE_MS = 15_000;

/** While an answer is awaited, or a ping is unanswered, silence is probed this often. */
export const PROBE_MS = 500;

/** A long wait is probed less often after this many probes: a stream may stay open for days. */
export const EAGER_PROBES = 20;
export const PATIENT_PROBE_MS = 2_000;

/** How long an acknowledgement waits for something to travel with; peers allow for 25 ms. */
export const ACK_DELAY_MS = 5;

/** A peer that answers no probe for this long is gone. */
export const SILENCE_MS = 10_000;

/** How long a handshake may take, on either side. */
export const HANDSHAKE_MS = 5_000;

/** How long `close` lets the open streams finish. */
export const CLOSE_GRACE_MS = 1_000;

/** How long a retry token is good for. */
export const RETRY_TOKEN_MS = 10_000;

/** Tokens that are remembered as spent; twice as many at most. */
export const MAX_SPENT_TOKENS = 16_384;

/** Connections that one listener holds; more are turned away. */
export const MAX_CONNECTIONS = 4_096;

/** Handshakes that one listener has under way, in all and with one address and port. */
export const MAX_HANDSHAKES = 256;
export const MAX_HANDSHAKES_PER_SOURCE = 8;

/** How old a handshake must be before it gives way to another when all places are taken. */
export const HANDSHAKE_PATIENCE_MS = 500;

/** What a peer may send before its handshake is done; an honest one sends some five kilobytes. The engine keeps it all. */
export const HANDSHAKE_LIMIT_BYTES: number = 64 * 1024;

/** First packets that one address and port may send in a second, and how many such sources are answered in it. */
export const INITIALS_PER_SOURCE = 64;
export const MAX_SOURCES = 4_096;

/** Streams that a peer may have open on one connection. */
export const MAX_STREAMS = 256;

/** After this many streams a link moves to a fresh connection: the engine forgets none of them. */
export const RENEW_AFTER_STREAMS = 16_384;

/** Connections that a link has moved away from and that still have open streams. */
export const MAX_RETIRED_CONNECTIONS = 4;

/** Streams of ours that wait for the peer to allow one more. */
export const MAX_WAITING_STREAMS = 16_384;

/** Bytes of unfinished frames that one connection may make us hold. */
export const MAX_HELD_BYTES: number = 64 * 1024 * 1024;

/** Above this many unsent bytes `send` asks the sender to wait. */
export const LINK_HIGH_WATER_BYTES: number = 1024 * 1024;

/** What a peer may send on one stream, and on all of them, before we have read it. */
export const STREAM_WINDOW_BYTES: number = 2 * 1024 * 1024;
export const CONNECTION_WINDOW_BYTES: number = 16 * 1024 * 1024;

/** Asked of the operating system for each UDP socket; it may grant less. */
export const SOCKET_BUFFER_BYTES: number = 4 * 1024 * 1024;

/** How often a stream is checked for a peer that no longer wants the answer. */
export const STOPPED_CHECK_MS = 20;

/** Error codes on streams and connections. */
export const CODE_NONE = 0;
export const CODE_CANCELED = 1;
export const CODE_BAD_FRAME = 2;
export const CODE_TOO_MUCH = 3;

/** Backoff between attempts to have a spare connection on a Unix socket again. */
export const SPARE_RETRY_FIRST_MS = 10;
export const SPARE_RETRY_LONGEST_MS = 1000;
