/* Every limit and deadline of recordings. */

/** Most requests in flight that are carried over; the oldest are dropped. */
export const IN_FLIGHT_LIMIT = 256;

/** How much the clocks of a call and of its recording may differ, in milliseconds. */
export const RECORDED_CLOCK_MS = 1000;

/** Most differences of one comparison. */
export const JSON_DIFFERENCES_LIMIT = 20;

/** Lines that are parsed before the event loop runs again. */
export const READ_SLICE_LINES = 500;

/** The lines are written when they reach this size, else at the end of the tick. */
export const RECORDER_BUFFER_CHARACTERS: number = 256 * 1024;

/** Longest part of a file name that is made of the name of a server. */
export const RECORDING_NAME_CHARACTERS = 100;

/** How much the time of a file may be behind the clock: a kernel takes it from its last tick. In milliseconds. */
export const FILE_TIME_MS = 100;

/** Size at which a recording continues in another file. */
export const RECORDING_BYTES: number = 16 * 1024 * 1024;

/** Longest message that is recorded. */
export const RECORDED_MESSAGE_BYTES: number = 4 * 1024 * 1024;

/** Most recordings of one server in the folder of the hub: files, and bytes. The oldest files are removed. */
export const RECORDINGS_LIMIT = 100;
export const RECORDINGS_BYTES: number = 16 * RECORDING_BYTES;

/** Longest recording that is read; by hand one may join several. */
export const READ_BYTES: number = 64 * 1024 * 1024;

/** How long one answer is waited for, in milliseconds. */
export const REPEATED_ANSWER_MS = 60_000;

/** How long an answer to a client request is waited for, in milliseconds. */
export const REPLAYED_REQUEST_MS = 60_000;
