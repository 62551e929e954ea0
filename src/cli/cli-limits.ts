/* Every limit and deadline of the commands. */

/** Longest pasted line, in characters. */
export const PASTED_LINE_CHARACTERS: number = 64 * 1024;

/** How long servers that were never listed may take: the client waits for its first answer. */
export const SKILL_SERVERS_WAIT_MS = 10_000;

/** Characters of a long argument that are shown folded. */
export const FOLDED_ARGUMENT_CHARACTERS = 120;

/** Delay before sources load, so that the first answer does not wait for them. */
export const SERVE_WARM_AFTER_MS = 100;

/** How long the demo waits for a crashed server, which is started again after a backoff that begins at a second. */
export const DEMO_HEAL_MS = 30_000;

/** Longest run of one command of the demo. */
export const DEMO_COMMAND_MS = 60_000;

/** Longest time until the task of the demo has ended, and how often it is looked at. */
export const DEMO_TASK_MS = 30_000;
export const DEMO_POLL_MS = 50;

/** A certificate that ends within this time is worth a warning. */
export const CERTIFICATE_SOON_MS: number = 30 * 86_400_000;
/** Calls that failed within this time are shown. */
export const RECENT_FAILURES_MS = 86_400_000;

/** How long a program in a sandbox may take to start, and `--version` of a command to answer, for `mctl doctor`. */
export const SANDBOX_TRY_MS = 5000;

export const VERSION_WAIT_MS = 5000;

export const FABRIC_WATCH_MS = 2000;

/** Logs begin anew at 8 MiB; a crash may leave a little more. */
export const LOG_READ_LIMIT_BYTES: number = 64 * 1024 * 1024;

/** Size at which the log begins a new file. */
export const HUB_LOG_BYTES: number = 8 * 1024 * 1024;

/** How long the hub may take to answer, in milliseconds. */
export const ASK_HUB_MS = 5000;
/** How long a hub that runs may take to (again) say where it listens, in milliseconds. */
export const HUB_ANNOUNCE_MS = 3000;
/** How often a hub that starts or ends is looked for, in milliseconds. */
export const HUB_LOOK_AGAIN_MS = 50;

export const HUB_DIAL_MS = 5000;
/** A first start may download the server, in milliseconds. */
export const CONTROL_ANSWER_MS = 120_000;

/** How long a hub may take to say whether it is idle, in milliseconds. */
export const HUB_RETIRE_MS = 3000;
/** How long connections that are about to end are waited for, in milliseconds. */
export const HUB_CONNECTED_MS = 1000;

/** A user waits for plugins to start; each has its own deadline. */
export const COMMAND_LIST_WAIT_MS = 30_000;
/** The same for the answer of the hub: longer than that. */
export const COMMAND_LIST_MS = 60_000;

/** How long the command of a user waits for a server that starts; a first start may download it. */
export const COMMAND_START_WAIT_MS = 60_000;

/** Objects of an example call are filled in to this depth. */
export const EXAMPLE_DEPTH = 4;

/** Longest input that is read, in bytes. */
export const INPUT_LIMIT_BYTES: number = 64 * 1024 * 1024;

/** Least time for the lists of a server whose start took long, in milliseconds. */
export const LEARN_LISTS_MS = 1000;

export const FOLLOW_POLL_MS = 100;
export const FOLLOW_CHUNK_BYTES: number = 64 * 1024;

/** Journals begin anew at 8 MiB; a crash may leave a little more. */
export const JOURNAL_READ_LIMIT_BYTES: number = 64 * 1024 * 1024;

/** How long a canceled command has to end by itself before the process does, unless it says otherwise. */
export const INTERRUPT_GRACE_MS = 5000;
/** The same for a server, which has children to stop. */
export const SERVER_GRACE_MS = 10_000;
/** How long a server that has closed everything may take to exit, before the process is ended. */
export const EXIT_GRACE_MS = 3000;

/** How long a recorded program may run after the end of input, in milliseconds. */
export const RECORD_DRAIN_MS = 5000;
/** Longest message that is recorded, either way. */
export const RECORDED_LINE_BYTES: number = 64 * 1024 * 1024;

/** Longest value of a difference that is shown; all of it is in the JSON. */
export const DIFFERENCE_CHARACTERS = 400;

/** Names in a hint. */
export const HINT_NAMES_LIMIT = 20;

/** Wrong lines before the command gives up. */
export const ANSWER_TRIES_LIMIT = 5;

/** Characters of unchanged text that are shown around a change. */
export const DRIFT_CONTEXT_CHARACTERS = 60;

export const PROGRESS_REDRAW_MS = 50;

/** Larger images are saved, not drawn. */
export const DRAWN_LIMIT_BYTES: number = 8 * 1024 * 1024;
/** Longest payload of one sequence in kitty's protocol. */
export const KITTY_CHUNK_CHARACTERS = 4096;
