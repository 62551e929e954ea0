/* Every bound of the wire, by name. Each may be raised by an option where it is used. */

/** Longest line taken in, in bytes, newline not counted. */
export const MESSAGE_LIMIT_BYTES: number = 10 * 1024 * 1024;

/** Longest Protobuf frame, in bytes, length prefix not counted. */
export const FRAME_LIMIT_BYTES: number = 16 * 1024 * 1024;

/** Longest MCP message in a tunnel whose ends both take messages in parts, in bytes. */
export const TUNNEL_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** How much of an oversize line is kept, to find the id to answer. */
export const OVERSIZE_HEAD_BYTES = 512;

/** How much of a stray line is shown in logs and diagnoses, in characters. */
export const STRAY_LINE_CHARACTERS = 200;

/** What a message in memory counts beside its text, in characters. */
export const MESSAGE_OVERHEAD = 64;

/**
 * Requests of the peer that are held back while it does not read our answers, in characters. A peer that
 * writes all its requests before it reads is served up to here; beyond, reading pauses.
 */
export const QUEUED_CHARACTERS: number = 64 * 1024 * 1024;

/** Our own requests that are in flight, in characters. Less than a peer of ours can queue: it never has to pause. */
export const WINDOW_CHARACTERS: number = 32 * 1024 * 1024;

/** Our own requests that wait for that, in characters; beyond, a request is refused. */
export const WAITING_CHARACTERS: number = 256 * 1024 * 1024;

/** What we say to a peer that does not read, in characters; beyond, an answer is dropped and an error takes its place. */
export const UNREAD_ANSWERS_CHARACTERS: number = 256 * 1024 * 1024;

/** How long a peer that takes nothing is waited for when nothing else can go on, in milliseconds. */
export const STALL_MS = 120_000;
