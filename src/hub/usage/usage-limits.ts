/* The bounds of a usage report. */

/** The part of the journals that is read, the newest first. */
export const USAGE_BYTES: number = 64 * 1024 * 1024;
/** The bytes that are read between two turns of the event loop. */
export const USAGE_CHUNK_BYTES: number = 128 * 1024;
/** A longer line is no line of a journal. */
export const USAGE_LINE_BYTES: number = 64 * 1024;
/** Names that are counted one by one, of each kind. */
export const COUNTED_NAMES = 5000;
/** Rows of each kind in a report. */
export const USAGE_ROWS = 500;
export const TIMELINE_STEPS = 60;
/** A server or tool without a call for so long is unused. */
export const UNUSED_DAYS = 30;
export const UNUSED_MS: number = UNUSED_DAYS * 86_400_000;
/** Sessions whose last list is known. */
export const MEASURED_SESSIONS = 1000;
/** Definitions that are measured between two turns of the event loop. */
export const MEASURED_TOOLS = 256;
