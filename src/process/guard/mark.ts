/*
 * The mark: an environment variable in every child that we start.
 *
 * Descendants inherit it: a process that leaves its process group (`setsid`, GNU
 * `timeout`, job control of a shell) still has it, and /proc shows it. A mark is
 * `<owner><number>.`; the owner part identifies one guard of one process, so that one
 * search finds all children of a dead parent.
 */

/** The environment variable of the mark. */
export const MARK_VARIABLE = 'ORCHESTRA_SPAWN';

/** Distinguishes our marks from those of an earlier process with our pid. */
const processMark = `${process.pid}.${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}.`;
let owners = 0;

/** The prefix of every mark of this process. */
export function markOfProcess(): string {
	return processMark;
}

/** The prefix of the marks of one guard, unique over all guards of all processes. */
export function newOwnerMark(): string {
	return `${processMark}${++owners}.`;
}

/** A copy of `environment` without the mark, for a process that must outlive its parent, such as a shared hub. */
export function withoutMark(environment: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
	const { [MARK_VARIABLE]: _, ...rest } = environment;
	return rest;
}
