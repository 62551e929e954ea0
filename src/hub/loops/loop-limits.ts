/* The bounds of loop protection. */

/** The time that the limits of calls are about. */
export const LOOP_MS = 60_000;
/** Longer arguments are not compared: an agent that repeats itself repeats short ones. */
export const COMPARED_CHARACTERS: number = 64 * 1024;
/** Clients whose calls are watched at once; the one that was silent longest is dropped. */
export const WATCHED_CLIENTS = 1000;
/** Tools of one client that are counted one by one. */
export const COUNTED_TARGETS = 1000;
