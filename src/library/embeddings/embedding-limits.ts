/* Every bound of embeddings, by name. */

/** Longest that a search waits for the vector of its query, in milliseconds. */
export const QUERY_WAIT_MS = 300;
/** Longest time of one request, in milliseconds. */
export const EMBEDDING_REQUEST_MS = 30_000;
/** After a failure the endpoint is left alone for so long, in milliseconds. */
export const EMBEDDING_PAUSE_MS = 10_000;
/** Most strings in one request. */
export const BATCH_STRINGS = 64;
/** Characters of one text that are sent. */
export const EMBEDDED_CHARACTERS = 2_000;
/** Most documents with a vector; in a larger collection none is used. */
export const EMBEDDED_LIMIT = 20_000;
/** Most vectors that are cached on disk and in memory for one model, unused ones included. */
export const CACHED_VECTORS = 40_000;
/** Most dimensions of a vector. */
export const DIMENSIONS_LIMIT = 4_096;
/** Largest file of vectors, in bytes. */
export const VECTORS_FILE_LIMIT_BYTES: number = 192 * 1024 * 1024;
/** Largest answer, in bytes. */
export const EMBEDDING_ANSWER_LIMIT_BYTES: number = 16 * 1024 * 1024;
/** Queries whose vectors are cached in memory. */
export const CACHED_QUERIES = 500;
/** Requests for queries at a time; more searches than that go without. */
export const QUERIES_AT_ONCE = 4;
/** Part of the documents that must have a vector: the others would seem to fit worse than they do. */
export const LEAST_EMBEDDED_SHARE = 0.9;
