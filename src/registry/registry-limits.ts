/* The limits of registries: what a foreign directory of servers may send, and how often it is asked. */

/** Entries of one page. */
export const PAGE_ENTRIES = 50;
/** Pages of one search. A registry may repeat its cursors without end. */
export const PAGE_LIMIT = 20;
/** The pages of one search term, in milliseconds; the request that runs then is the last. */
export const SEARCH_MS = 30_000;
/** Results of one search. */
export const FOUND_LIMIT = 100;
/** Terms of a search that are sent, one request series each. */
export const TERM_LIMIT = 3;
/** Shorter terms are sent only when there are no longer ones. */
export const TERM_CHARACTERS = 3;
/** Longest reason of a refusal that is shown, in characters. */
export const REASON_CHARACTERS = 300;
/** An answer that is younger is not asked for again, in milliseconds. */
export const FRESH_MS = 3_600_000;
/** Answers on disk. */
export const CACHED_ANSWERS = 200;
/** Attempts after 429 and 5xx, the first one included. */
export const ATTEMPTS = 3;
/** The delay before the second attempt, in milliseconds; it doubles. */
export const RETRY_MS = 500;
/** Redirects of one request, all within one origin. */
export const REDIRECTS = 3;
/** Longest text of an entry, in characters. */
export const TEXT_CHARACTERS = 2000;
/** Packages, remotes, arguments, variables and choices of an entry, each. */
export const LIST_ITEMS = 64;
/** Depth of variables within variables. */
export const VARIABLE_DEPTH = 4;

/** Largest bundle, in bytes. */
export const BUNDLE_BYTES: number = 256 * 1024 * 1024;
/** Files of a bundle, and their bytes together. */
export const BUNDLE_FILES = 50_000;
export const UNPACKED_BYTES: number = 1024 * 1024 * 1024;
/** Largest manifest of a bundle, in bytes. */
export const MANIFEST_BYTES: number = 1024 * 1024;
/** Longest download of a bundle, in milliseconds. */
export const DOWNLOAD_MS = 300_000;
/** Redirects of a download: release pages lead to another host. */
export const DOWNLOAD_REDIRECTS = 5;
/** Largest signature of a bundle, in bytes, and the certificates in it. */
export const SIGNATURE_BYTES: number = 256 * 1024;
export const SIGNATURE_CERTIFICATES = 16;
