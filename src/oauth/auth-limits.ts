/* The limits of authorization. */

/** One request to an authorization server, in milliseconds. Shorter than the age at which a lock counts as stale. */
export const REQUEST_MS = 15_000;
/** Longest response that is read, in bytes. */
export const RESPONSE_LIMIT_BYTES: number = 1024 * 1024;
/** Redirects of one metadata request, all within one origin. */
export const REDIRECT_LIMIT = 3;
/** How long a user has to sign in, in milliseconds. */
export const SIGN_IN_MS = 300_000;
/** Responses of other sign-ins that the callback ignores before it ends. */
export const FOREIGN_RESPONSE_LIMIT = 10;
/** A token is refreshed this long before it expires, at most, in milliseconds. */
export const REFRESH_MARGIN_MS = 60_000;
/** A token that was refreshed after a refusal and is refused again within this time is not refreshed once more. */
export const REFUSED_AGAIN_MS = 60_000;
/** Full authorizations of one connection because of missing scopes. */
export const STEP_UP_LIMIT = 2;
/** How often a process waits for the lock of a token, 10 s each. */
export const LOCK_ROUNDS = 3;
/** Longest text of an authorization server in a message, in characters. */
export const SHOWN_CHARACTERS = 200;

export const ACCOUNT_NAME_CHARACTERS = 40;

export const CREDENTIALS_LIMIT_BYTES: number = 1024 * 1024;
