/* Every limit of secret references. */

/** Longest secret. */
export const SECRET_LIMIT_BYTES: number = 64 * 1024;
/** How long a command may take, in milliseconds: it may ask an agent, never a user. */
export const SECRET_COMMAND_MS = 10_000;

/** Longest name in a message. */
export const SHOWN_NAME_CHARACTERS = 80;
