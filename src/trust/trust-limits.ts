/* Every limit of policy, approvals, pins, scans and the hash chain. */

/** How long a user may take to approve a call, and how long an approval of a caller that left can be used, in milliseconds. */
export const APPROVAL_MS: number = 5 * 60_000;

/** How often answers are looked for while a call waits, in milliseconds. */
export const APPROVAL_POLL_MS = 200;
/** Most calls that wait for a user at once. */
export const PENDING_APPROVALS_LIMIT = 100;

/** Most characters of one argument in an elicitation: a client shows it in a small form. */
export const SHOWN_ARGUMENT_CHARACTERS = 400;

/** How often a waiting call sends progress, which restarts the deadline of its client, in milliseconds. */
export const APPROVAL_PROGRESS_MS = 10_000;
/** Most approved calls that may be between two rounds of input of their client. */
export const CONTINUED_CALLS_LIMIT = 1000;

/** How old the head of a chain may be, in milliseconds. */
export const CHAIN_HEAD_MS = 1000;
/** How old it may be at the first line, in milliseconds: a chain without a head is a damaged one. */
export const CHAIN_FIRST_HEAD_MS = 1;

/** Longest pattern of a rule. */
export const POLICY_PATTERN_CHARACTERS = 500;

/** How long the waiting process may take to notice a decision, in milliseconds. */
export const DECISION_NOTICE_MS = 5000;
export const DECISION_LOOK_AGAIN_MS = 50;

/** How much of the end of a file is read: more than any batch that we write. */
export const CHAIN_TAIL_BYTES: number = 256 * 1024;
/** A batch of more characters is written as several. */
export const CHAIN_BATCH_CHARACTERS: number = 64 * 1024;

/** Longest value of the lock file in a message. */
export const LOCK_TEXT_CHARACTERS = 80;

export const DEFINITIONS_LIMIT_BYTES: number = 8 * 1024 * 1024;

/** Most characters of one tool that are pinned. */
export const PINNED_CHARACTERS: number = 4 * 1024 * 1024;

/** Longest part of a tool that is compared word by word, in characters; the rest is left out. */
export const DIFF_COMPARED_CHARACTERS = 20_000;

/** What a finding quotes: this much around the match, and of the match. */
export const QUOTE_AROUND_CHARACTERS = 30;
export const QUOTE_CHARACTERS = 160;

export const DENIED_WITHIN_CHARACTERS = 80;
/** A shorter text than this is no instruction. */
export const INSTRUCTION_SHORTEST_CHARACTERS = 12;

/** Shortest name of another server's tool that is looked for in strings: shorter ones are words. */
export const FOREIGN_NAME_CHARACTERS = 6;

/** Most characters of one tool that are scanned. */
export const SCANNED_TOOL_CHARACTERS: number = 64 * 1024;

/** Rows of one call in an approval. The arguments after them are one row, as an object. */
export const SHOWN_ROWS_LIMIT = 100;
/** Longest row, name and value together, that is never folded. */
export const SHOWN_SHORT_CHARACTERS = 200;
/** Most characters of all values together; long values share what is left. */
export const SHOWN_TEXT_CHARACTERS: number = 64 * 1024;
/** Most characters of a name. */
export const SHOWN_NAME_CHARACTERS = 400;

/** Longest name of a tool that every agent accepts. */
export const TOOL_NAME_CHARACTERS = 64;
