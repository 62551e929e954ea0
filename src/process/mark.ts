/*
 * The mark: a variable in the environment of every child that we start.
 *
 * Descendants inherit it, wherever they go: a process that leaves its process group
 * (`setsid`, GNU `timeout`, job control of a shell) still carries it, and /proc shows it.
 * A mark is `<owner><number>.`; the owner part names one guard of one process, so that
 * all children of a dead parent are found by one search.
 */

/** The variable that carries the mark. */
export const MARK_VARIABLE = 'ORCHESTRA_SPAWN';

/** Distinguishes our marks from those of an earlier process with our pid. */
const processMark = `${process.pid}.${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}.`;
let owners = 0;

/** The beginning of every mark that this process gives out. */
export function markOfProcess(): string {
	return processMark;
}

/** The beginning of the marks of one guard. No other guard of any process has it. */
export function newOwnerMark(): string {
	return `${processMark}${++owners}.`;
}

/** A copy of `environment` for a process that must outlive its starter, such as a shared hub: without the mark. */
export function withoutMark(environment: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
	const { [MARK_VARIABLE]: _, ...rest } = environment;
	return rest;
}
