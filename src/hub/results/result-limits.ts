/* The limits of results: storage, pages and queries. */

/** Most bytes of all results that one hub stores. */
export const STORED_BYTES: number = 256 * 1024 * 1024;
/** Most results that one hub stores. */
export const STORED_RESULTS_LIMIT = 1000;
/** How long a result is stored at most, in milliseconds. */
export const STORED_MS: number = 24 * 60 * 60_000;
/** Results of read-only tools that are compared with the next ones. */
export const REMEMBERED_RESULTS = 1000;
/** Fewer tokens are sent again rather than named as unchanged. */
export const UNCHANGED_TOKENS = 100;
/** Longest description of a stored file, in bytes. */
export const FACTS_BYTES = 4096;
/** Longest name of a tool or a client in it. */
export const FACT_CHARACTERS = 256;

/** Bytes of a page of a resource when the client names no length. */
export const PAGE_BYTES: number = 64 * 1024;
/** Most bytes of a page. */
export const PAGE_LIMIT_BYTES: number = 1024 * 1024;
/** Most places that `?grep=` returns. */
export const MATCHES_LIMIT = 100;

/** Longest list of rows, as Python prints them, that is cut after a row, in characters. */
export const ROWS_CHARACTERS: number = 1024 * 1024;
/** Most characters of the shape of JSON in a notice. */
export const SHAPE_CHARACTERS = 600;
/** Room for the name of the notice in structured content, and for what JSON escapes in it. */
export const NOTICE_MEMBER_TOKENS = 15;
/** Most parts of JSON that a notice names. */
export const NAMED_CUTS = 4;
/** Most characters of a path in a notice, or in what is said about an answer. */
export const PATH_CHARACTERS = 60;
/** Deepest level of JSON that is shortened by its members; below it a container is left empty. */
export const CUT_LEVELS = 40;

/** How long one query may take, in milliseconds. */
export const LOOK_MS = 5000;
/** Queries that run at a time; further ones wait. */
export const LOOKS_AT_ONCE = 2;
/** Queries that wait; further ones are refused. */
export const LOOKS_WAITING = 100;
/** Memory of the thread that answers one query, in MiB. */
export const LOOK_MEMORY_MB = 512;
/** Longest expression of `select`, and its deepest nesting. */
export const SELECT_CHARACTERS = 2000;
export const SELECT_LEVELS = 32;
/** Longest pattern. */
export const PATTERN_CHARACTERS = 500;
/** Most characters that an expression may write before they are cut to the budget. */
export const SELECTED_CHARACTERS: number = 16 * 1024 * 1024;
/** Lines of `head` and `tail` when none are named. */
export const LOOK_LINES = 50;
/** Most lines around a match. */
export const CONTEXT_LINES = 20;

/** The budget of a known agent whose own limit is higher or unknown. */
export const AGENT_BUDGET_TOKENS = 8000;
/** An image or another part up to this size stays in a result that is above the limit in bytes. */
export const SMALL_PART_CHARACTERS: number = 16 * 1024;
/** Characters before and after a found text. */
export const AROUND_CHARACTERS = 120;
/** Cuts that are tried. */
export const CUT_TRIES = 8;
/** Longest escape sequence of a terminal, such as a link, that a cut steps back from. */
export const ESCAPE_CHARACTERS = 512;
/** Room for the sentence about the answer. */
export const ABOUT_CHARACTERS = 200;
/** A longer line is searched and shown in pieces. */
export const PIECE_CHARACTERS = 1000;
/** Elements of an array that are looked at. */
export const SHAPE_SAMPLES = 50;
/** Levels and keys of an object that are named. */
export const SHAPE_LEVELS = 5;
export const SHAPE_KEYS = 24;
/** A number up to this length is never cut. */
export const NUMBER_CHARACTERS = 64;
/** Longest run of blanks before a closing bracket that is preserved. */
export const ENDING_CHARACTERS = 200;
/** Lines that must have as many cells as the first. */
export const TABLE_LINES_CHECKED = 20;
