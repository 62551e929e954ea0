/* The limits of the storage. Errors name the limit that was exceeded. */

/** Longest path, in bytes of UTF-8. */
export const PATH_LIMIT_BYTES = 4_096;
/** Longest name of one file or folder, in bytes of UTF-8: the limit of common file systems. */
export const NAME_LIMIT_BYTES = 255;
/** Longest pattern of a list, in characters. */
export const PATTERN_LIMIT_CHARACTERS = 256;
/** The pattern of a list without one. */
export const DEFAULT_PATTERN = '*.md';
/** Largest content of one file, in bytes; a frame of the protocol holds no more. */
export const CONTENT_LIMIT_BYTES: number = 16 * 1024 * 1024;
/** Largest front matter, fences included, in bytes. */
export const FRONT_MATTER_LIMIT_BYTES: number = 256 * 1024;
/** Most values in the metadata of one file, so that what is written can be read again. */
export const METADATA_LIMIT_VALUES = 3_000;
/** Most files in one list. */
export const LIST_LIMIT_ENTRIES = 50_000;
/** Files that are read concurrently. */
export const OPEN_FILES_LIMIT = 16;
/** Most writes and deletes that wait for a lock. */
export const WAITING_WRITES_LIMIT = 1_000;

export const LARGEST_FILE_BYTES: number = CONTENT_LIMIT_BYTES + FRONT_MATTER_LIMIT_BYTES;

export const LISTED_HEAD_BYTES = 4_096;

/** Larger files are read without blocking the event loop. */
export const SMALL_READ_BYTES: number = 64 * 1024;

export const PATH_SHOWN_CHARACTERS = 80;
export const FILE_OPENING_BYTES = 64;
