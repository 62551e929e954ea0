/* Every limit and deadline of reading, watching and locking files. */

/** Longest text, in characters. */
export const YAML_LIMIT_CHARACTERS: number = 256 * 1024;

/** Most lexemes (indicators, scalars, line ends) of one text. */
export const YAML_LEXEME_LIMIT = 30_000;

/** Most aliases (`*name`) of one text, and how often one of them may unfold. */
export const YAML_ALIAS_LIMIT = 64;

/** Most values of the result, repeated ones counted each time. */
export const YAML_VALUE_LIMIT = 50_000;

/** Characters of a key that a message shows. */
export const YAML_SHOWN_CHARACTERS = 60;

/** Longest message of the parser that is shown. */
export const MESSAGE_LIMIT_CHARACTERS = 200;
export const LOCK_RETRY_MS = 20;
export const LOCK_STALE_MS = 30_000;
export const LOCK_WAIT_MS = 10_000;

/** Longest configuration, manifest or state file that we read. */
export const SMALL_FILE_LIMIT_BYTES: number = 4 * 1024 * 1024;

/** The buffer is written when it reaches this size. */
export const ROTATING_FILE_BUFFER_BYTES: number = 64 * 1024;

/** Most values inside one value, repeated ones counted each time. */
export const VALUE_COUNT_LIMIT = 500_000;

/** Debounce interval in milliseconds: a burst of changes is reported once. */
export const WATCH_DEBOUNCE_MS = 200;

/** Poll interval for a tree that cannot be watched, in milliseconds. */
export const WATCH_TREE_POLL_MS = 3000;

/** Limits per root; changes beyond them are not reported. */
export const WATCHED_FOLDERS_LIMIT = 1000;

/** Deepest folder below a root that is searched, for tools, documents and stored files. */
export const FOLDER_DEPTH = 64;

/** Characters of a hash that names a file or a lock. */
export const HASHED_NAME_CHARACTERS = 24;
