/* Every limit and timeout of the links. */

/** ALPN protocol that both ends must offer in the TLS handshake. */
export const LINK_PROTOCOL = 'orchestra-plugin';

/** QUIC idle timeout that both ends announce. */
export const IDLE_MS: number = 5 * 60_000;

/** Keep-alive interval of an idle connection. */
export const KEEP_ALIVE_MS = 15_000;

/** Probe interval while a call is open or a ping is unanswered. */
export const PROBE_MS = 500;

/** After this many probes the interval of an open call grows to `SLOW_PROBE_MS`: a stream may stay open for days. */
export const FAST_PROBES = 20;
export const SLOW_PROBE_MS = 2_000;

/** Delayed ACK: how long an acknowledgement waits for data to share a datagram; peers allow 25 ms. */
export const ACK_DELAY_MS = 5;

/** Most datagrams that wait for one: beside a message, a peer sends acknowledgements and credit of its own. */
export const ACK_DATAGRAMS = 3;

/** A peer that answers no probe for this long counts as dead. */
export const PEER_TIMEOUT_MS = 10_000;

/** How long a handshake may take, on either side. */
export const HANDSHAKE_MS = 5_000;

/** How often a listener looks whether its certificate, or that of its authority, ends soon. */
export const RENEWAL_CHECK_MS: number = 60 * 60_000;

/** How long `close` lets the open streams finish. */
export const CLOSE_GRACE_MS = 1_000;

/** TTL of a retry token. */
export const RETRY_TOKEN_MS = 10_000;

/** Used tokens per generation; two generations are stored. */
export const MAX_USED_TOKENS = 16_384;

/** Most connections of one listener; further ones are refused. */
export const MAX_CONNECTIONS = 4_096;

/** Handshakes in progress at one listener, in total and per source (address and port). */
export const MAX_HANDSHAKES = 256;
export const MAX_HANDSHAKES_PER_SOURCE = 8;

/** Minimum age of a handshake before it is evicted for a new one. */
export const HANDSHAKE_EVICTION_MS = 500;

/** Most bytes of a peer before its handshake is complete; a normal handshake takes about 5 kB. The engine buffers all of it. */
export const HANDSHAKE_LIMIT_BYTES: number = 64 * 1024;

/** Rate limit: Initial packets per source and second, and sources that are answered per second. */
export const INITIALS_PER_SOURCE = 64;
export const MAX_SOURCES = 4_096;

/** Streams that a peer may have open on one connection. */
export const MAX_STREAMS = 256;

/** A link is renewed on a fresh connection after this many streams: the engine never frees stream ids. */
export const RENEW_AFTER_STREAMS = 16_384;

/** Replaced connections of a link that still have open streams. */
export const MAX_RETIRED_CONNECTIONS = 4;

/** Our streams that wait for stream credit of the peer. */
export const MAX_WAITING_STREAMS = 16_384;

/** Buffered bytes of incomplete frames per connection. */
export const MAX_BUFFERED_BYTES: number = 64 * 1024 * 1024;

/** High-water mark of the send queue: above it, `send` returns false. */
export const LINK_HIGH_WATER_BYTES: number = 1024 * 1024;

/** Flow-control windows: unread bytes per stream and per connection. */
export const STREAM_WINDOW_BYTES: number = 2 * 1024 * 1024;
export const CONNECTION_WINDOW_BYTES: number = 16 * 1024 * 1024;

/** Requested size of the UDP socket buffers; the system may grant less. */
export const SOCKET_BUFFER_BYTES: number = 4 * 1024 * 1024;

/** Poll interval for STOP_SENDING of the peer. */
export const STOPPED_CHECK_MS = 20;

/** Error codes on streams and connections. */
export const CODE_NONE = 0;
export const CODE_CANCELED = 1;
export const CODE_BAD_FRAME = 2;
export const CODE_BUFFER_LIMIT = 3;

/** Backoff between attempts to open a spare connection on a Unix socket. */
export const SPARE_RETRY_FIRST_MS = 10;
export const SPARE_RETRY_LONGEST_MS = 1000;
export const CERTIFICATE_VALID_DAYS = 365;
export const CERTIFICATE_RENEW_DAYS = 30;
/** A new certificate starts a day ago: a clock that is ahead by a time zone is corrected while hubs run. */
export const CERTIFICATE_EARLY_MS: number = 24 * 60 * 60_000;
export const CERTIFICATE_NAME_CHARACTERS = 64;

export const EXPIRES_SOON_DAYS = 30;

/** Largest datagram that every network path supports. */
export const REMOTE_DATAGRAM_BYTES = 1_200;

export const HANDSHAKE_WINDOW_MS = 1_000;

/** Minimum size of an Initial packet (RFC 9000), so that a reply never amplifies it. */
export const FIRST_PACKET_BYTES = 1_200;

export const LARGEST_DATAGRAM_BYTES = 65_536;

/** Up to this many streams, polling each is cheaper than the engine's list of readable streams. */
export const FEW_STREAMS_LIMIT = 128;

export const COPY_LIMIT_BYTES = 16_384;

export const UNIX_CONNECT_MS = 1_000;
