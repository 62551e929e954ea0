/* Every limit and deadline of schemas. */

/** Most references that the check of one value follows. */
export const REFERENCE_BUDGET = 100_000;

/** Most instructions of one pattern, counted repetitions written out. */
export const PATTERN_PROGRAM_LIMIT = 10_000;

/** Most steps of one match, and most pairs of instruction and place that are remembered. */
export const PATTERN_STEP_LIMIT = 5_000_000;

/** Most values in one schema. */
export const SCHEMA_VALUE_LIMIT = 20_000;

/** Most schemas inside one schema. */
export const SUBSCHEMA_LIMIT = 2_000;

/** Most alternatives of one `oneOf`, `anyOf` or `allOf`. */
export const SCHEMA_BRANCH_LIMIT = 200;

/** Most different targets of references. */
export const SCHEMA_REFERENCE_LIMIT = 200;

/** Longest pattern, in characters. */
export const PATTERN_LIMIT_CHARACTERS = 4_096;

/** How deep groups may nest. */
export const PATTERN_GROUP_LIMIT = 32;

/** Most values of an enum and most fields of an object that are written out. */
export const SCHEMA_TEXT_SHOWN_LIMIT = 8;

/** Objects inside of objects are written out to this depth. */
export const SCHEMA_TEXT_DEPTH_LIMIT = 2;

/** Arrays and alternatives are read this much deeper: their ends are often scalars. */
export const SCHEMA_TEXT_DEEPER_LIMIT: number = SCHEMA_TEXT_DEPTH_LIMIT + 3;

/** Most references and alternatives that are followed for one type. */
export const SCHEMA_DEPTH = 16;

/** Most values of an enum that are written; beyond it the type of the values. */
export const TYPE_LITERAL_LIMIT = 200;
