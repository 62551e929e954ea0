/* The bounds of plans. */

/** Longest program. */
export const PLAN_CODE_CHARACTERS: number = 64 * 1024;
/** Most memory of a program with its interpreter, in bytes: whole pages of WebAssembly. */
export const PLAN_MEMORY_BYTES: number = 64 * 1024 * 1024;
/** Its stack. */
export const PLAN_STACK_BYTES: number = 256 * 1024;
/** Memory of the thread besides that of the program, in MiB. */
export const PLAN_THREAD_MB = 64;
/** Most steps of a program, in units of the interpreter: about ten thousand instructions each. */
export const PLAN_STEPS_LIMIT = 10_000;
/** How long a program may compute between two waits, in milliseconds. */
export const PLAN_COMPUTE_MS = 10_000;
/** How long the thread may take to start and to read the program. */
export const PLAN_START_MS = 15_000;
/** How long a loaded thread waits for the next program. */
export const PLAN_SPARE_MS = 60_000;
/** How long a name of a server that starts is waited for. */
export const PLAN_NAME_WAIT_MS = 15_000;
/** Longest time of a plan that is no task. */
export const PLAN_MS: number = 60 * 60 * 1000;
/** Most calls of one plan. */
export const PLAN_CALLS_LIMIT = 1000;
/** Most of its calls that run at once. */
export const PLAN_CALLS_AT_ONCE = 8;
/** Longest JSON of the arguments of a call, of an answer and of the result of a plan. */
export const PLAN_VALUE_CHARACTERS: number = 8 * 1024 * 1024;
/** Most characters of the arguments of calls that have no answer yet. */
export const PLAN_WAITING_CHARACTERS: number = 16 * 1024 * 1024;
/** Most text that a program logs. The rest is counted. */
export const PLAN_LOG_CHARACTERS: number = 16 * 1024;
/** Most bytes of the record of one plan. */
export const PLAN_RECORD_BYTES: number = 64 * 1024 * 1024;
/** Most characters of an error of a program, with its stack. */
export const PLAN_ERROR_CHARACTERS = 4000;
/** Plans of one hub that run at once, and that wait. */
export const PLANS_AT_ONCE = 4;
export const PLANS_WAITING = 32;
/** Most plans whose records are stored. */
export const STORED_PLANS_LIMIT = 200;
/** Most bytes of them. */
export const PLAN_STORE_BYTES: number = 256 * 1024 * 1024;
/** How long they are stored, in milliseconds. */
export const PLAN_STORED_MS: number = 14 * 24 * 60 * 60 * 1000;
/** Most names of tools in one message. */
export const PLAN_NAMES_SHOWN = 20;
