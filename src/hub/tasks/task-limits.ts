/* The bounds of tasks. */

/** Most tasks of all principals of a user, running and ended. */
export const TASKS_LIMIT = 1000;
/** Most bytes of their results. */
export const TASK_STORE_BYTES: number = 256 * 1024 * 1024;
/** Largest result that is stored. */
export const TASK_RESULT_BYTES: number = 64 * 1024 * 1024;
/** Longest record of a task, with the input requests that wait. */
export const TASK_RECORD_BYTES: number = 1024 * 1024;
/** Longest capabilities of a client that are stored for a later hub. */
export const TASK_CAPABILITIES_BYTES: number = 16 * 1024;
/** Bytes of the end of a task that a list reads. */
export const TASK_HEAD_BYTES: number = 16 * 1024;
/** Longest message of a server about its task. The rest is cut off. */
export const TASK_MESSAGE_CHARACTERS = 1000;
/** Most input requests that wait in one task. */
export const TASK_INPUTS_LIMIT = 64;
/** Most bytes of what other processes send to a task that is not theirs. */
export const TASK_INBOX_BYTES: number = 1024 * 1024;
/** How often a process looks whether another one sent something to its tasks, in milliseconds. */
export const TASK_INBOX_MS = 500;
/** How often a subscription looks at a task of another process. */
export const TASK_FOLLOW_MS = 500;
/** The poll interval that clients get. */
export const TASK_POLL_MS = 1000;
/** How long a call of `tasks.always` may take to ask its client first, in milliseconds. */
export const TASK_FIRST_POLL_MS = 250;
/** Old tasks are removed at most this often. */
export const TASK_SWEEP_MS = 60_000;
/** How much of its bounds a full store uses after the oldest were removed. */
export const TASK_SWEPT_SHARE = 0.9;
/** Files of no task that this version can read are removed when they are this old: another version may have written them. */
export const TASK_LEFTOVER_MS: number = 7 * 24 * 60 * 60_000;
/** How often an end that could not be stored is stored again. */
export const TASK_STORE_RETRY_MS = 5000;
/** Most characters of results in memory that could not be stored. */
export const TASK_UNSTORED_CHARACTERS: number = 64 * 1024 * 1024;
/** Most tasks in a page of `tasks/list`, and in the answer of `task_status`. */
export const TASK_PAGE = 100;
/** Shortest, default and longest time between two polls of a server about its task. */
export const UPSTREAM_POLL_MS = { least: 50, default: 1000, most: 30_000 } as const;
/** How long a server may not say how its task is doing, before its outcome is unknown, in milliseconds. */
export const UPSTREAM_ABSENT_MS: number = 5 * 60_000;
/** Longest time between two attempts to reach it. */
export const UPSTREAM_RETRY_MS = 5000;
/** Longest id that a server may give its task. */
export const UPSTREAM_TASK_ID_CHARACTERS = 4096;

/** Most rounds of input that a server may ask for by its results, in one task. */
export const TASK_ROUNDS_LIMIT = 16;

/** How long a client waits for a call: the default of the official SDKs, and of Codex. */
export const TASK_CLIENT_WAIT_MS = 60_000;
