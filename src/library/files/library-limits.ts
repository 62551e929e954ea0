/* Every bound of the library, by name. A file over a bound is skipped with one warning. */

/** Largest file that is taken in, in bytes. */
export const FILE_LIMIT_BYTES: number = 4 * 1024 * 1024;
/** Most files under one root. */
export const FILE_COUNT_LIMIT = 100_000;
/** Largest front matter, in characters. */
export const FRONT_MATTER_LIMIT_CHARACTERS: number = 256 * 1024;
/** Most entries read of a list in front matter: tags, capabilities, useWhen, arguments. */
export const LIST_LIMIT = 200;
/** Longest title, description or list entry, in characters. */
export const TEXT_LIMIT_CHARACTERS = 1_000;
/** Characters of a text that are ranked and searched for headings; it is served whole. */
export const RANKED_LIMIT_CHARACTERS: number = 256 * 1024;
/** Most headings of a text that are read, and most bullets under one heading. */
export const OUTLINE_LIMIT = 2_000;
/** Most tags derived from headings. */
export const DERIVED_TAG_LIMIT = 20;
/** Characters of text that wait for the first search to be indexed; a larger folder is indexed as it is read. */
export const UNINDEXED_LIMIT_CHARACTERS: number = 512 * 1024;
/** Largest JSON or YAML file that is parsed for its metadata, in characters; larger ones are served unparsed. */
export const DATA_PARSE_LIMIT_CHARACTERS: number = 256 * 1024;

/** Longest prompt with its arguments filled in, in characters. */
export const FILLED_PROMPT_LIMIT_CHARACTERS: number = 8 * 1024 * 1024;

/** Largest table of word vectors, in bytes. */
export const WORD_VECTORS_LIMIT_BYTES: number = 64 * 1024 * 1024;
/** Largest word list, in bytes. */
export const WORD_LIST_LIMIT_BYTES: number = 4 * 1024 * 1024;

/** Longest slice of loading before the event loop runs again, in milliseconds. */
export const LOAD_SLICE_MS = 8;
/** Debounce of changes, in milliseconds. */
export const CHANGE_QUIET_MS = 40;
/** Longest debounce of changes, in milliseconds. */
export const CHANGE_LATEST_MS = 200;
/** Polling interval of a root that the system cannot watch, in milliseconds. */
export const POLL_MS = 2_000;

/** Longest query of a match, in characters. */
export const QUERY_LIMIT_CHARACTERS = 4_000;
/** Tokens of a match when `maxTokens` is absent. */
export const DEFAULT_MAX_TOKENS = 3_000;
/** Largest `maxTokens` taken; more is cut to it. */
export const MAX_TOKENS_LIMIT = 1_000_000;
/** Results of a match when `maxResults` is absent. */
export const DEFAULT_MAX_RESULTS = 15;
/** Largest `maxResults` taken; more is cut to it. */
export const MAX_RESULTS_LIMIT = 1_000;
/** Assembly leaves out what scores below this share of the best. */
export const ASSEMBLY_FLOOR_SHARE = 0.35;
/** Characters a token is estimated at. */
export const CHARACTERS_PER_TOKEN = 4;

/** Most values of one completion, as MCP has it. */
export const COMPLETION_LIMIT = 100;

/** Files up to this size, in bytes, share one buffer. */
export const READ_SCRATCH_BYTES: number = 64 * 1024;

/** Files that are read ahead, in bytes: large ones are taken one by one. */
export const READ_AHEAD_BYTES: number = 128 * 1024;

export const LINE_LIMIT_CHARACTERS: number = TEXT_LIMIT_CHARACTERS + 1;

/** Longest part of a URI before a placeholder that is read, in characters. */
export const PLACEHOLDER_URI_CHARACTERS = 2_000;

/** Longest slice of index work before the event loop runs again, in milliseconds. */
export const INDEX_SLICE_MS = 8;

/** Most files of a skill, and bytes of all of them: what every host supports. */
export const SKILL_FILES_LIMIT = 512;
export const SKILL_LIMIT_BYTES: number = 16 * 1024 * 1024;
/** Longest name of a skill. */
export const SKILL_NAME_CHARACTERS = 64;

/** Longest description of a skill, as the format has it. */
export const SKILL_DESCRIPTION_CHARACTERS = 1024;
