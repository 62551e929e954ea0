/* Every limit of the page of the dashboard, in the browser. */

/** Most pixels of an image that is drawn. */
export const DRAWN_PIXELS_LIMIT = 40_000_000;

/** Log lines of a call or a command that are retained. */
export const RUN_LOGS_LIMIT = 500;

/** The address of a download is released after the browser has taken them. */
export const DOWNLOAD_RELEASE_MS = 60_000;

/** Calls that run at a time. Each has a connection, and a browser opens six to one host for all its tabs. */
export const RUNNING_CALLS_LIMIT = 3;
/** Ended calls with their results, and drafts, that are retained. */
export const ENDED_CALLS_LIMIT = 20;
export const DRAFTS_LIMIT = 200;

export const COPIED_MS = 1_500;

/** How often a value is fetched again while the page is visible, one about the calls only after new ones; in milliseconds. */
export const FETCHED_RENEW_MS = 3_000;

/** A search is sent per pause in typing. */
export const SEARCH_DEBOUNCE_MS = 60;

/** Browsers limit the height of an element; beyond it the list ends. */
export const ELEMENT_HEIGHT_LIMIT = 16_000_000;

export const INPUT_ROWS_LIMIT = 18;

/** Largest file that is chosen: Base64 is a third longer, and a request has at most 10 MiB. */
export const CHOSEN_FILE_BYTES = 7_000_000;

/** Deepest objects that a form has fields for; below it, JSON is typed. */
export const FORM_DEPTH = 6;
/** Fields of a form from which on objects, lists and alternatives in it are JSON. */
export const FORM_FIELDS_LIMIT = 1_000;
export const FORM_VARIANTS_LIMIT = 12;
export const FORM_REFERENCES_LIMIT = 16;

/** The least time between two loads of the newest calls, in milliseconds. */
export const CALLS_RELOAD_MS = 1_000;

export const NOTICE_MS = 8_000;
export const NOTICES_LIMIT = 4;

/** Delay before the page connects again, at first and at most. */
export const FIRST_BACKOFF_MS = 300;
export const LONGEST_BACKOFF_MS = 5_000;
/** The hub sends an event every 10 s at least. */
export const FEED_SILENCE_MS = 25_000;
/** How long a hub may take to answer before a new stream is opened. */
export const FEED_ANSWER_MS = 5_000;
/** A hidden page keeps its stream for this time. */
export const FEED_HIDDEN_MS: number = 5 * 60_000;
/** How often a page that is signed out looks whether another tab has signed in. */
export const FEED_RETURN_MS = 3_000;

/** Characters of a long value that are shown folded. */
export const FOLDED_VALUE_CHARACTERS = 120;

/** How long the page looks for the end of a call that was allowed. */
export const APPROVED_OUTCOME_MS = 60_000;

/** How often a list of the calls of the last minutes is loaded again. */
export const CALLS_RENEW_MS = 10_000;

/** Rows of the picture of clients, hub and servers. */
export const FLOW_CLIENTS_LIMIT = 10;
export const FLOW_SERVERS_LIMIT = 16;
export const FLOW_BUILT_INS_LIMIT = 5;

/** Rows of the list of results; the command has all. */
export const RESULT_ROWS_LIMIT = 200;

/** Lines of a server that the page keeps. */
export const OUTPUT_LINES_LIMIT = 1_000;

/** Settings that are shown; a search finds the others. */
export const SHOWN_SETTINGS_LIMIT = 500;

/** Reasons of a match in a row; the first ones add most. */
export const REASONS_LIMIT = 4;

/** Choices of a parameter that are listed by name. */
export const CHOICES_LIMIT = 12;

/** Rows of a search for tools. */
export const SEARCH_ROWS_LIMIT = 200;

/** Rows of a table of usage; the command has all. */
export const USAGE_ROWS_LIMIT = 30;

/** Deepest lists and quotes, and deepest emphasis, that are drawn as such. */
export const MARKDOWN_BLOCK_DEPTH = 8;
export const MARKDOWN_INLINE_DEPTH = 6;

/** Longer Markdown is shown as it is written. */
export const MARKDOWN_CHARACTERS = 300_000;

/** Longest text in one element; the rest is left out and counted. */
export const VISIBLE_CHARACTERS = 200_000;
