/* Every limit and every wait of the HTTP client. */

/** Connections to one server at a time; further requests are queued. A subscription holds one. */
export const MAX_SOCKETS = 256;

/** Requests in flight and queued; above it, a request is refused. */
export const MAX_REQUESTS = 2048;

/** How long an unused connection stays open. Shorter than the 5 s after which many servers close theirs. */
export const IDLE_SOCKET_MS = 4000;

/** Delay of the first TCP keep-alive probe: a silent stream to a dead machine ends after some of them. */
export const TCP_KEEP_ALIVE_MS = 15_000;

/** Deadline of TCP connect and TLS handshake together. */
export const CONNECT_MS = 20_000;

/** Deadline of the response head, for everything but a request: a request has the deadline of its caller. */
export const REPLY_MS = 30_000;

/** Longest head of a response. */
export const HEAD_BYTES: number = 64 * 1024;

/** How much of the body of an error status is read. */
export const ERROR_BODY_BYTES: number = 64 * 1024;

/** Redirects that one request follows. */
export const MAX_REDIRECTS = 5;

/** Delays before a request that was certainly not processed is sent again, to a server that was reachable before. */
export const RECONNECT_DELAYS_MS: readonly number[] = [100, 400, 1500];

/** How long a stream may stay open after the response. */
export const LINGER_MS = 1000;

/** Delays before a stream is opened again: the shortest, the first when the server names none, and the longest of our backoff. */
export const STREAM_RETRY_MS = { shortest: 100, first: 1000, longest: 60_000 } as const;

/** Attempts in a row, without an event, to open a stream again. */
export const STREAM_ATTEMPTS = 8;

/** A push stream that was open this long counts as working. */
export const STABLE_STREAM_MS = 30_000;

/** When a stream whose comments stopped is dead: not before a minute with the usual comment every 15 s. */
export const STREAM_SILENCE = { beatMs: 1000, beats: 3, missed: 4, leastMs: 20_000 } as const;

/** How long the first event of the HTTP+SSE transport, or the body of its refusal, may take. */
export const ENDPOINT_MS = 10_000;

/** How long `close` waits for the end of the session. */
export const CLOSE_MS = 2000;

/** Resource subscriptions of a session that are remembered. */
export const MAX_SUBSCRIPTIONS = 1000;

/** Longest header value that is read, in characters; the rest is ignored. */
export const CHALLENGES_HEADER_CHARACTERS: number = 16 * 1024;

/** An error above this length is delivered as it is. */
export const LONG_ERROR_CHARACTERS: number = 64 * 1024;
