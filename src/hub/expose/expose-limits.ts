/* Every limit of the search for tools. */

/** Longest query of `find_tools` that is read. */
export const FIND_QUERY_CHARACTERS = 2000;
/** How long a search waits for servers that start, in milliseconds: with nothing found, and with something. */
export const FOUND_NOTHING_WAIT_MS = 15_000;
export const FOUND_SOMETHING_WAIT_MS = 3000;

/** Time between two progress notifications, in milliseconds: a client must not believe that the call hangs. */
export const WAIT_PROGRESS_MS = 1000;

/** Longest description of a skill that was found. */
export const FOUND_SKILL_CHARACTERS = 160;

/** Longest signature of a tool that was found; beyond it the optional parameters are left to `describe_tool`. */
export const FOUND_SIGNATURE_CHARACTERS = 400;
/** Longest summary of a tool that was found. */
export const FOUND_SUMMARY_CHARACTERS = 160;

/** Most clauses of one query. */
export const QUERY_CLAUSE_LIMIT = 8;

/** Most characters of the instructions about one server, and about all of them. */
export const GUIDE_SERVER_CHARACTERS = 90;
export const GUIDE_SERVERS_CHARACTERS = 2000;

/** Parameters inside of parameters are indexed to this depth. */
export const DOCUMENT_DEPTH = 3;
/** Most parameters of one tool that are read. */
export const DOCUMENT_PARAMETER_LIMIT = 200;
/** Most characters that are read of what a server says of itself. */
export const SERVER_ABOUT_CHARACTERS = 300;
/** Most characters of one description that are read. */
export const DOCUMENT_DESCRIPTION_CHARACTERS = 4000;

/** Most terms of a query that are searched one by one. */
export const SINGLE_TERMS_LIMIT = 8;

/** The end of the journal that is read: a few thousand calls. */
export const JOURNAL_END_BYTES: number = 1024 * 1024;
