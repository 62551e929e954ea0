/* Every limit and deadline of the files beside the layers. */

/** Most edits between a word and a suggestion. */
export const EDITS_LIMIT = 3;

/** Texts that are remembered to be logged once; the oldest are dropped, because a peer may choose them. */
export const LOGGED_ONCE_LIMIT = 10_000;

/** Longest untrusted text in a log line, in characters. */
export const LOGGED_CHARACTERS = 1_000;

/** Shorter values are not replaced: they occur in ordinary words. */
export const SECRET_SHORTEST_CHARACTERS = 8;

/** Longest piece that is compared at once; a longer value is several pieces. */
export const SECRET_PIECE_CHARACTERS = 64;

/** Most pieces that are remembered; the oldest are dropped. */
export const SECRET_PIECE_LIMIT = 4000;

/** Longest value that is remembered. */
export const VALUE_LIMIT_CHARACTERS: number = 64 * 1024;

/**
 * Deepest nesting of lists and maps that code of ours walks by recursion: files, settings, tools and other items of a
 * list, values searched for secrets. Messages that pass as text have `MESSAGE_LEVELS`, values in Protobuf
 * `PROTOBUF_VALUE_LEVELS`, which others decode as well.
 */
export const NESTING_DEPTH = 64;

/** Most strings without a secret that are remembered, and the longest of them. */
export const CLEAN_STRINGS_LIMIT = 1000;
export const CLEAN_TEXT_CHARACTERS = 1000;

/** Most changes that are compared one by one. */
export const DIFF_CHANGES_LIMIT = 500;

/** How long to busy-poll after a message, in milliseconds. */
export const SPIN_MS = 0.5;
/** A shorter run of letters and digits is no token. */
export const TOKEN_LONG_CHARACTERS = 24;
