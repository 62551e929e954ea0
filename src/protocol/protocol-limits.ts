/* The bounds of a list of a server, for every reader. */

/** Most pages of one list. */
export const LIST_PAGES_LIMIT = 100;

/** Most items of one list. */
export const LIST_ITEMS_LIMIT = 10_000;

/** Most items that were left out of a list and are named with the reason. */
export const LEFT_OUT_LIMIT = 100;

/** Longest list, over all its pages, in characters. A longer one would block everything else for too long. */
export const LIST_CHARACTERS_LIMIT: number = 8 * 1024 * 1024;

/** A page above this is handled in several steps, between which the event loop runs. */
export const LIST_STEP_CHARACTERS: number = 256 * 1024;

/** Most places that are tried for one template; then it does not fit. Some milliseconds. */
export const URI_TEMPLATE_MATCH_STEPS = 200_000;

/** Most variables and texts between them of a template that a URI may fit. */
export const URI_TEMPLATE_MATCHED_PARTS = 64;
