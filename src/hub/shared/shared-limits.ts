/* Every limit and deadline of the shared hub. */

/** Most variables that are stored. */
export const FORWARDED_VARIABLES_LIMIT = 1000;

/** Most bridges that an error names. */
export const NAMED_BRIDGES_LIMIT = 5;

/** Interval of the heartbeat, in milliseconds. */
export const HEARTBEAT_MS = 2000;

/** Beats between two looks at the files, for a file system that cannot be watched. */
export const BEATS_PER_LOOK = 15;

/** A burst of changes of the files is one. */
export const HEARTBEAT_QUIET_MS = 50;
export const MEMORY_PAGE_BYTES = 4096;

/** How many lines of stderr a status has. */
export const HUB_STATUS_LINES = 10;

/** Most times that a deleted socket file is created again. */
export const LISTENER_REOPEN_LIMIT = 100;

/** Length of an abstract name: all of it, because some versions of Node fill a shorter one with zeros and others do not. */
export const ABSTRACT_NAME_BYTES = 107;

/** Longest path of a Unix domain socket that every system allows, in bytes; macOS allows 103. */
export const SOCKET_PATH_BYTES = 100;

/** The longest name of a socket in the folder, in bytes. */
export const SOCKET_NAME_BYTES = 62;

/** How long the bridge may take to read the answer, in milliseconds. */
export const RETIREMENT_ANSWER_MS = 1000;

/** Idle timeout of a hub without a configured address, in milliseconds. */
export const HUB_IDLE_MS: number = 15 * 60_000;

/** When servers that were never seen start without a client: the one that started this hub may have ended before it could connect. */
export const LEARN_ALONE_MS = 5000;

/** How long the shell may take, in milliseconds. */
export const DETACHED_SHELL_MS = 10_000;

/** How long a hub has until it listens, in milliseconds. */
export const START_MS = 15_000;

/** How long to wait for another process that is starting a hub, before starting one too. */
export const START_LOCK_MS = 3000;
export const HUB_POLL_MS = 20;
export const START_HUB_LOG_LINES = 5;

/** Bytes of the end of the log that are read for them. */
export const START_HUB_LOG_BYTES = 4096;

/** How long a hub may take to stop: longer than the shutdown of its plugins and the signals after it. */
export const HUB_GRACE_MS = 15_000;

/** How long to wait before the hub is killed; it exits by itself before. */
export const HUB_STOP_MS: number = HUB_GRACE_MS + 3000;

/** How long the kernel may take to reap the hub, and the guard to end its processes. */
export const GUARD_STOP_MS = 5000;

/** How long to wait before the hub is killed with --force. */
export const FORCED_STOP_MS = 1000;
