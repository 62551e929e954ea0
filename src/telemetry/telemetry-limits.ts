/* Every limit and deadline of traces and metrics. */

export const EXPORT_TIMEOUT_MS = 10_000;

/** Most label sets of one metric; all further ones are counted together. */
export const SERIES_LIMIT = 1000;

/** Most spans that wait; further ones are dropped. */
export const QUEUE_SPANS = 2048;

/** Most spans of one request. */
export const EXPORT_BATCH_SPANS = 512;

/** How long a span waits for others, in milliseconds. */
export const EXPORT_BATCH_MS = 1000;

/** How long `close` waits for the collector, in milliseconds. */
export const EXPORT_EXIT_MS = 500;

/** Longest string of an attribute; the rest is cut. */
export const ATTRIBUTE_CHARACTERS = 1000;

/** Longest value of a label; the rest is cut. */
export const LABEL_CHARACTERS = 200;

/** Above this difference to the system clock, in milliseconds, the machine slept or its clock was set. */
export const TRACER_DRIFT_MS = 1000;
