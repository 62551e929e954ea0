/* Every limit and deadline of plugins. */

export const POST_TIMEOUT_MS = 5_000;

/** From this many calls in flight on, small calls share a stream, and the next ones too. */
export const SEPARATE_STREAMS_LIMIT = 8;
export const SHARED_AFTER_MANY = 64;
export const SHARED_STREAM_CALL_BYTES: number = 16 * 1024;

/** Timeout of the READY line and of each step of the handshake. */
export const READY_MS = 10_000;

/** Timeout of `shutdown`. */
export const SHUTDOWN_MS = 5_000;
export const RESPONSE_STREAM_LIMIT = 64;

/** Ids of ended calls that are remembered: a late response to one of them is not an error. */
export const SHARED_STREAM_ENDED_LIMIT = 1024;

/** Most bytes that are read per second once the plugin is ready. */
export const BYTES_PER_SECOND: number = 256 * 1024;

/** Deepest nesting of arguments, results, metadata and payloads, in levels. */
export const PROTOBUF_VALUE_LEVELS = 100;

/** Delay before the listener closes, so that the response to `shutdown` can be sent. */
export const SHUTDOWN_FLUSH_MS = 50;

/** Most messages that are buffered before `start`; then the stream is paused. */
export const TUNNEL_BUFFERED_MESSAGES = 1_024;

/** Size of a part, in bytes. A message up to this size is always one frame. */
export const TUNNEL_PART_BYTES: number = 4 * 1024 * 1024;

/** Bytes of a frame beside the message: tags, lengths, the request id and the features. */
export const FRAME_OVERHEAD_BYTES = 1024;
