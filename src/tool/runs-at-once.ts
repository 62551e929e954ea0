/*
 * How many tools run at once, and how many calls wait.
 *
 * Each run is a process with three pipes, so a burst of calls without a bound ends in
 * hundreds of processes and no file descriptors left. Calls above the limit wait in
 * order; a canceled call leaves the queue; a call that waited as long as it may run
 * is given up. Above the queue's own limit a call is refused at once.
 */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { attempt, OrchestraError } from '../errors.ts';
import { Semaphore } from '../rpc/semaphore.ts';
import { OPEN_FILES_DEFAULT, RUNS_LIMIT, WAITING_RUNS_LIMIT } from './run-limits.ts';

/** Most tools wait for a disk or a network most of the time. */
const RUNS_PER_CORE = 8;
/** Three pipes, the descriptors of a start, and some for what the hub does with them. */
const FILES_PER_RUN = 8;
/** What is left for everything but tools. */
const FILES_RESERVED = 128;

/** How many tools run at once by default on this machine. */
export function defaultRunsAtOnce(
	cores: number = availableParallelism(),
	files: number = openFilesLimit(),
): number {
	const byFiles = Math.floor((files - FILES_RESERVED) / FILES_PER_RUN);
	return Math.max(1, Math.min(cores * RUNS_PER_CORE, byFiles, RUNS_LIMIT));
}

/** Bounds the runs of tools. */
export function runSemaphore(limit: number, queueLimit: number = WAITING_RUNS_LIMIT): Semaphore {
	return new Semaphore({
		limit,
		queueLimit,
		refuse: () =>
			new OrchestraError('tool_failed', `not started: ${limit} tools run and ${queueLimit} calls wait`, {
				hint: 'Call it again when some have ended.',
			}),
	});
}

/** The error of a call that waited as long as it may run. */
export function waitedTooLong(limit: number, ms: number): OrchestraError {
	const message = `not started: ${limit} tools ran for all of the ${ms} ms that the call waited`;
	return new OrchestraError('timeout', message, {
		hint: 'Call fewer at once, or raise limits.toolsAtOnce.',
	});
}

function openFilesLimit(): number {
	// A system may have no /proc.
	return attempt(() => {
		const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
		return Number(soft) || OPEN_FILES_DEFAULT;
	}, OPEN_FILES_DEFAULT);
}
