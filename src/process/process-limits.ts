/* Every limit and deadline of processes. */

/** How long to wait for the end of an exited child's stderr. */
export const STDERR_LINGER_MS = 200;

/** Longest line of stderr that is logged untruncated. */
export const STDERR_LINE_BYTES: number = 64 * 1024;

/** Idle time after which the pipe of an exited child counts as open by another process. */
export const PIPE_IDLE_MS = 500;

/** More than a pipe can buffer: any further bytes were written after the child exited. */
export const PIPE_CAPACITY_BYTES: number = 4 * 1024 * 1024;

/** How often such a pipe may be empty at a poll, although data arrived since the last one. */
export const PIPE_EMPTY_POLLS = 6;

/** One line in this many may be a frame: the place of the crash is worth a line, and the rest of the stack is not. */
export const LINES_PER_FRAME = 3;

/** Longest reason, in characters. */
export const REASON_CHARACTERS = 300;

/** Lines of source between the place that Node.js names and the caret below it. */
export const CRASH_QUOTED_LINES = 2;

/** Lines of output in a hint. */
export const DIAGNOSIS_HINT_LINES = 3;

/** Poll interval while waiting for the end of a group, in milliseconds. */
export const GROUP_POLL_MS = 10;

/** /proc is scanned only every few polls: a scan costs milliseconds. */
export const POLLS_PER_PROC_SCAN = 5;

/** How often a killed guard is restarted. */
export const GUARD_RESTART_LIMIT = 10;

/** Pids assigned within this time after the start of a child do not wrap around. */
export const YOUNG_PROCESS_MS = 2000;

/** How long the searches for several children are collected for one scan, in milliseconds. */
export const SHARED_SCAN_MS = 5;

/** Scans when a process exited or was in exec during the scan. */
export const PROC_SCAN_ATTEMPTS = 3;

/** First size of the buffer for an environment. */
export const ENVIRON_FIRST_BYTES: number = 64 * 1024;

/** Up to this many pids, checking each is faster than listing /proc. */
export const FEW_PIDS_LIMIT = 64;
export const RECORD_LIMIT_BYTES = 256;

/** Most records of dead owners that one start handles. */
export const RECORDS_AT_ONCE = 20;

/** Kill rounds, for children that were forked meanwhile. */
export const ORPHAN_KILL_ROUNDS = 5;

/** How often, and after what time, records that could not be removed are handled again. */
export const ORPHAN_RETRY_LIMIT = 5;
export const NEXT_TRY_MS = 500;

/** How long the record of another pid namespace is stored. */
export const FOREIGN_RECORD_MS: number = 30 * 86_400_000;

/** Lines that are retained. */
export const RING_LINES = 20;

/** How much of each line is retained, in characters. */
export const RING_LINE_CHARACTERS = 500;

/** How much of a line is searched for secrets: a secret that begins in the retained part may end here. */
export const RAW_LINE_CHARACTERS: number = 8 * 1024;

/** One read of a pipe: a stack that fills most of it must not hide the reason in front of it. */
export const STDERR_TAIL_BYTES: number = 64 * 1024;

/** Most visible entries of a home folder. */
export const SANDBOX_HOME_ENTRIES = 2000;

/** Most groups of dead owners that one start removes. */
export const ORPHANS_AT_ONCE = 100;

/** How often and how long the end of the last process of a group is waited for. */
export const CONTROL_GROUP_REMOVE_ROUNDS = 20;
export const REMOVE_WAIT_MS = 50;

/** How often a dead helper is replaced; after that, all starts are direct. */
export const HELPER_RESTART_LIMIT = 5;

/** How long a child has after its stdin was closed, in milliseconds. */
export const STOP_EOF_MS = 1000;

/** How long its process tree has after SIGTERM, in milliseconds. */
export const STOP_TERM_MS = 1000;

/** How long the kernel has to reap it after SIGKILL, in milliseconds. */
export const STOP_KILL_MS = 1000;
