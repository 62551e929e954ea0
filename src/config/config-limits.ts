/* Every limit of the configuration. What a key is when it is absent: `defaults.ts`. */

/** The history in the file of Claude Code can be long. */
export const CLIENT_FILE_LIMIT_BYTES: number = 32 * 1024 * 1024;

/** Longest text of a client's entry that is searched for secrets. */
export const SECRET_TEXT_CHARACTERS = 10_000;

/** Files of one folder of a client that are read. */
export const CLIENT_FOLDER_FILES_LIMIT = 100;

/** Tries to restore a file of a client, which a running client may write meanwhile. */
export const RESTORE_TRIES_LIMIT = 3;

/** Longest name of a group, member or label of the fabric. */
export const FABRIC_NAME_CHARACTERS = 64;

/** Largest configuration file. */
export const CONFIG_LIMIT_BYTES: number = 1024 * 1024;

/** Longest chain of hubs, in links. A hub behind a longer one is refused. */
export const HUB_CHAIN_LIMIT = 64;
/** Most links of clients in the chain of a hub: they are beside each other, not one behind the other. */
export const JOINED_CHAIN_LIMIT = 32;

/** Longest value in a message about it. */
export const PROBLEM_CHARACTERS = 60;

/** State folders that are remembered; the oldest are dropped. */
export const STATE_FOLDERS_LIMIT = 20;

/** Longest text of one effect that is recorded. */
export const EFFECT_CHARACTERS = 1000;
/** Most effects of one file that are recorded. */
export const EFFECT_LIMIT = 500;

/** Most files of saved plans that a project may have, and the longest one. */
export const PLAN_FILES_LIMIT = 200;
export const PLAN_FILE_BYTES: number = 256 * 1024;
/** How much of one is shown before it is trusted. */
export const PLAN_TEXT_CHARACTERS = 300;

/** Versions of one file that are remembered. */
export const TRUSTED_VERSIONS_LIMIT = 10;
/** Files that are remembered; the oldest are dropped. */
export const TRUSTED_FILES_LIMIT = 1000;
