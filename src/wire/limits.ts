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
