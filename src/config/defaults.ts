/* Defaults of keys that no file has: for the table of keys, and for the code that uses the value. */

/** Number of tools above which agents search. */
export const EXPOSE_ABOVE = 60;
/** How long a list waits for a source that has not answered, in milliseconds. */
export const LIST_WAIT_MS = 2000;
/** Longest time of a call of a plugin, in milliseconds. */
export const CALL_TIMEOUT_MS = 30_000;
/** A larger result is shortened for any client, in bytes. */
export const RESULT_BYTES: number = 1024 * 1024;
/** Least tokens of a result with a budget: room for the notice about what was left out. */
export const LEAST_BUDGET_TOKENS = 200;
/** Most output of a run of a tool, in bytes. */
export const TOOL_OUTPUT_BYTES: number = 10 * 1024 * 1024;
/** A call that takes longer becomes a task, in milliseconds. */
export const TASK_DETACH_MS = 20_000;
/** How long a task is readable when it has ended. */
export const TASK_TTL_MS: number = 24 * 60 * 60 * 1000;
/** Longest time of a call that is a task. */
export const TASK_MAX_MS: number = 6 * 60 * 60 * 1000;
/** Most events of a run of a tool. */
export const TOOL_EVENTS = 10_000;
/** Most equal calls of a known agent in a row within a minute. */
export const IDENTICAL_CALLS = 20;
