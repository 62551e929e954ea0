/*
 * Find the processes with a mark by scanning /proc. Linux only; elsewhere none is found.
 *
 * Pids are assigned in ascending order, so the descendants of a young child have pids
 * between its own and the last one assigned, which /proc/loadavg contains. That makes
 * the search after a short run take microseconds. For an older child the pids may have
 * wrapped around, so every process is read; children that exit or are stopped at about
 * the same time share one scan, which is done in slices.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, isCode } from '../../errors.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import {
	ENVIRON_FIRST_BYTES,
	FEW_PIDS_LIMIT,
	PROC_SCAN_ATTEMPTS,
	SHARED_SCAN_MS,
	YOUNG_PROCESS_MS,
} from '../process-limits.ts';
import { processStat } from '../process-stat.ts';
import { MARK_VARIABLE, markOfProcess } from './mark.ts';

/** The child whose descendants are searched. */
export interface Origin {
	readonly pid: number;
	/** Milliseconds on the clock of `performance.now`. */
	readonly startedAt: number;
}

/** Pids of the live processes whose mark starts with `mark`. Unreadable processes are skipped. */
export function findMarked(mark: string, origin?: Origin): number[] {
	if (process.platform !== 'linux') return [];
	for (let attempt = 1; ; attempt++) {
		const seen = candidates(origin).map((pid) => ({ pid, found: markOf(pid, mark) }));
		const found = seen.filter((each) => each.found).map(({ pid }) => pid);
		// A process that forked and exited during the scan left a child that was not listed.
		const isSure = !seen.some((each) => each.found === undefined);
		if (found.length > 0 || isSure || attempt === PROC_SCAN_ATTEMPTS) return found;
	}
}

/**
 * The same without blocking the event loop, with one scan for all searches within a few milliseconds. The scan begins
 * after the call, so it sees everything that a child left that has exited.
 */
export async function findMarkedSoon(mark: string, origin: Origin): Promise<number[]> {
	if (process.platform !== 'linux' || fewPidsSince(origin)) return findMarked(mark, origin);
	scan ??= sleep(SHARED_SCAN_MS).then(() => {
		scan = undefined;
		return scanForOurs();
	});
	const ours = await scan;
	// Read again: it may have exited since.
	return [...ours]
		.filter(([pid, found]) => found.startsWith(mark) && isMarked(pid, mark))
		.map(([pid]) => pid);
}

/** The scan that is about to begin. */
let scan: Promise<ReadonlyMap<number, string>> | undefined;

/** The marks of all processes that this one started, by pid. */
async function scanForOurs(): Promise<ReadonlyMap<number, string>> {
	const slices = new WorkSlices();
	for (let attempt = 1; ; attempt++) {
		const found = new Map<number, string>();
		let isSure = true;
		for (const pid of listPids()) {
			if (slices.isOver) await slices.next();
			const mark = markOf(pid, markOfProcess());
			if (mark === undefined) isSure = false;
			else if (mark !== '') found.set(pid, mark);
		}
		if (found.size > 0 || isSure || attempt === PROC_SCAN_ATTEMPTS) return found;
	}
}

/** True while the process is alive and its mark starts with `mark`. */
export function isMarked(pid: number, mark: string): boolean {
	return Boolean(markOf(pid, mark));
}

/** True while a guard, or its backup, runs for marks that start with `mark`: it has the mark as an argument. */
export function isGuarded(mark: string): boolean {
	return listPids().some((pid) => {
		// It may be gone.
		return attempt(
			() => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`\0${MARK_VARIABLE}=${mark}`),
			false,
		);
	});
}

function candidates(origin: Origin | undefined): number[] {
	const few = origin && fewPidsSince(origin);
	return few ? few.filter((pid) => existsSync(`/proc/${pid}`)) : listPids();
}

/** The pids assigned since the child was started; undefined when they are many, or may have wrapped around. */
function fewPidsSince({ pid: first, startedAt }: Origin): number[] | undefined {
	if (performance.now() - startedAt >= YOUNG_PROCESS_MS) return undefined;
	const count = lastPid() - first;
	if (count < 0 || count > FEW_PIDS_LIMIT) return undefined;
	return Array.from({ length: count }, (_, index) => first + 1 + index);
}

function listPids(): number[] {
	return readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0 && pid !== process.pid);
}

/** The last pid assigned; 0 when the system does not report it. */
function lastPid(): number {
	return attempt(() => Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ').pop()) || 0, 0);
}

/** The mark of a process if it starts with `prefix`, else empty; undefined for a process that exits or is in exec. */
function markOf(pid: number, prefix: string): string | undefined {
	try {
		const environment = environmentOf(pid);
		if (environment.length === 0) return isStarting(pid) ? undefined : '';
		const at = environment.indexOf(`${MARK_VARIABLE}=${prefix}`);
		if (at !== 0 && environment[at - 1] !== 0) return '';
		const end = environment.indexOf(0, at);
		return environment.toString('latin1', at + MARK_VARIABLE.length + 1, end < 0 ? environment.length : end);
	} catch (error) {
		return isCode(error, 'ENOENT', 'ESRCH') ? undefined : '';
	}
}

/** One buffer for all reads: a new one for each of hundreds of processes costs more than the read. */
let scratch = Buffer.alloc(0);

/** Valid until the next call. The kernel bounds an environment. */
function environmentOf(pid: number): Buffer {
	const descriptor = openSync(`/proc/${pid}/environ`, 'r');
	try {
		for (let length = 0; ; ) {
			if (length === scratch.length)
				scratch = Buffer.concat([scratch], Math.max(2 * length, ENVIRON_FIRST_BYTES));
			const count = readSync(descriptor, scratch, length, scratch.length - length, null);
			length += count;
			// The kernel fills the buffer, except at the end.
			if (length < scratch.length) return scratch.subarray(0, length);
		}
	} finally {
		closeSync(descriptor);
	}
}

const KERNEL_THREADS_PARENT = 2;

/** True for a process in exec, whose environment is empty; zombies and kernel threads never have one. */
function isStarting(pid: number): boolean {
	const found = processStat(pid);
	return found !== undefined && !'ZX'.includes(found.state) && found.parent !== KERNEL_THREADS_PARENT;
}
