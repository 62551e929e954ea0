/* Every limit of the wire layer. Options override them where they are used. */

/** Longest line accepted, without its newline. */
export const MESSAGE_LIMIT_BYTES: number = 10 * 1024 * 1024;

/** Levels of objects and arrays in a message. */
export const MESSAGE_LEVELS = 512;

/** Longest message whose form is remembered, in characters; later ones of that form may be longer. */
export const FORM_CHARACTERS: number = 16 * 1024;

/** A sender whose messages have no common form: another one is looked for after so many of them, at the latest. */
export const FORM_MISSES = 256;

/** Longest Protobuf frame, without its length prefix. */
export const FRAME_LIMIT_BYTES: number = 16 * 1024 * 1024;

/** Longest MCP message in a tunnel whose ends both support messages in parts. */
export const TUNNEL_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** How much of an oversize line is retained, to find the id for the error response. */
export const OVERSIZE_HEAD_BYTES = 512;
/** How much of the end of an oversize response is retained, when its id comes after its result. */
export const OVERSIZE_TAIL_BYTES = 100;

/** How much of a stray line (a line that is not a message) logs and diagnoses show. */
export const STRAY_LINE_CHARACTERS = 200;

/** Memory cost of a message in addition to its text, in characters. */
export const MESSAGE_OVERHEAD = 64;

/**
 * High-water mark of queued requests of the peer, in characters. A peer that writes all its requests before it
 * reads is served up to this size; above it, reading pauses.
 */
export const QUEUED_CHARACTERS: number = 64 * 1024 * 1024;

/** Send window: our requests in flight, in characters. Smaller than the peer's queue, so the peer never has to pause. */
export const WINDOW_CHARACTERS: number = 32 * 1024 * 1024;

/** Our requests that wait for the send window, in characters; above it, a request is refused. */
export const WAITING_CHARACTERS: number = 256 * 1024 * 1024;

/** Responses that a peer has not read, in characters; above it, a response is dropped and an error takes its place. */
export const UNREAD_RESPONSES_CHARACTERS: number = 64 * 1024 * 1024;

/** The same for all peers of one server together. */
export const UNREAD_TOTAL_CHARACTERS: number = 256 * 1024 * 1024;

/** Stall timeout: how long a peer may read nothing while we cannot continue, in milliseconds. */
export const STALL_MS = 120_000;

/** A regular expression is faster for the characters behind these. */
export const SHORT_STRING_CHARACTERS = 24;

/** A long string is searched in parts of this size. */
export const SCAN_PART_CHARACTERS: number = 64 * 1024;

/** Objects with more names are compared by a set. */
export const COMPARED_NAMES_LIMIT = 8;

/** A slice of a long text takes a few milliseconds. */
export const SCAN_SLICE_CHARACTERS: number = 256 * 1024;

/** Longest part of a line in which secrets are replaced before it is truncated. */
export const REDACTED_LINE_CHARACTERS: number = STRAY_LINE_CHARACTERS + 64 * 1024;

export const REASSEMBLY_SMALLEST_BYTES = 4096;
export const REASSEMBLY_IDLE_BYTES: number = 1024 * 1024;
export const REASSEMBLY_COPY_BYTES: number = 64 * 1024;

/** A queue removes what was taken from it when it is this much, and half of all. */
export const FIFO_COMPACT_ENTRIES = 1024;

/** The id of a longer response is looked for at its beginning and its end first. */
export const LONG_MESSAGE_CHARACTERS = 4096;
