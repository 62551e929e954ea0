/* Every bound of the storage, by name. What is over a bound is refused with a sentence that names it. */

/** Longest path, in bytes of UTF-8. */
export const PATH_LIMIT_BYTES = 4_096;
/** Longest name of one file or folder, in bytes of UTF-8: what common file systems take. */
export const NAME_LIMIT_BYTES = 255;
/** Longest pattern of a list, in characters. */
export const PATTERN_LIMIT_CHARACTERS = 256;
/** The pattern of a list that names none. */
export const DEFAULT_PATTERN = '*.md';
/** Largest content of one file, in bytes; a frame of the protocol holds no more. */
export const CONTENT_LIMIT_BYTES: number = 16 * 1024 * 1024;
/** Largest front matter, fences included, in bytes. */
export const FRONT_MATTER_LIMIT_BYTES: number = 256 * 1024;
/** Most values in the metadata of one file, so that what is written can be read again. */
export const METADATA_LIMIT_VALUES = 3_000;
/** Most files that one list gives. */
export const LIST_LIMIT_ENTRIES = 50_000;
/** Deepest folder that a list looks into, counted from the root. */
export const STORAGE_DEPTH_LIMIT = 64;
/** Files whose heads are read at the same time. */
export const OPEN_FILES_LIMIT = 16;
/** Most writes and deletes that wait for their turn. */
export const WAITING_WRITES_LIMIT = 1_000;
