/*
 * Find the processes with a mark by scanning /proc. Linux only; elsewhere none is found.
 *
 * Pids are assigned in ascending order, so the descendants of a young child have pids
 * between its own and the last one assigned, which /proc/loadavg contains. That makes
 * the search after a short run take microseconds. For an older child the pids may have
 * wrapped around, so every process is read; children that exit at about the same time
 * share one scan.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCode } from '../errors.ts';
import { MARK_VARIABLE, markOfProcess } from './mark.ts';
import { processStat } from './process-stat.ts';

/** Pids assigned within this time after the start of a child do not wrap around. */
const YOUNG_MS = 2000;

/** How long the exits of several children are collected for one scan, in milliseconds. */
const SHARED_SCAN_MS = 5;

/** Scans when a process exited or was in exec during the scan. */
const SCAN_ATTEMPTS = 3;

/** Up to this many pids, checking each is faster than listing /proc. */
const FEW_PIDS = 64;

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
		const seen = candidates(origin).map((pid) => ({ pid, state: readMark(pid, mark) }));
		const found = seen.filter(({ state }) => state === 'marked').map(({ pid }) => pid);
		// A process that forked and exited during the scan left a child that was not listed.
		const isSure = !seen.some(({ state }) => state === 'unknown');
		if (found.length > 0 || isSure || attempt === SCAN_ATTEMPTS) return found;
	}
}

/**
 * The same for a child that has exited, with one scan for all children that exit within a few milliseconds. The scan
 * begins after the call, so it sees everything that the child left.
 */
export async function findMarkedSoon(mark: string, origin: Origin): Promise<number[]> {
	if (process.platform !== 'linux' || isYoung(origin)) return findMarked(mark, origin);
	scan ??= sleep(SHARED_SCAN_MS).then(() => {
		scan = undefined;
		return new Set(findMarked(markOfProcess()));
	});
	const ours = await scan;
	return [...ours].filter((pid) => isMarked(pid, mark));
}

/** The scan that is about to begin: the pids of all processes with a mark of this process. */
let scan: Promise<ReadonlySet<number>> | undefined;

/** True while the process is alive and its mark starts with `mark`. */
export function isMarked(pid: number, mark: string): boolean {
	return readMark(pid, mark) === 'marked';
}

/** True while a guard, or its backup, runs for marks that start with `mark`: it has the mark as an argument. */
export function isGuarded(mark: string): boolean {
	return listPids(() => true).some((pid) => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`\0${MARK_VARIABLE}=${mark}`);
		} catch {
			return false; // gone
		}
	});
}

function candidates(origin: Origin | undefined): number[] {
	const last = origin !== undefined && isYoung(origin) ? lastPid() : 0;
	if (origin === undefined || last === 0) return listPids(() => true);
	const { pid: first } = origin;
	const count = last - first;
	if (count >= 0 && count <= FEW_PIDS) {
		return Array.from({ length: count }, (_, index) => first + 1 + index).filter((pid) =>
			existsSync(`/proc/${pid}`),
		);
	}
	return listPids(count > 0 ? (pid) => pid > first && pid <= last : (pid) => pid > first || pid <= last);
}

function isYoung({ startedAt }: Origin): boolean {
	return performance.now() - startedAt < YOUNG_MS;
}

function listPids(isWanted: (pid: number) => boolean): number[] {
	return readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0 && pid !== process.pid && isWanted(pid));
}

/** The last pid assigned; 0 when the system does not report it. */
function lastPid(): number {
	try {
		return Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ').pop()) || 0;
	} catch {
		return 0;
	}
}

type MarkState = 'marked' | 'other' | 'unknown';

function readMark(pid: number, mark: string): MarkState {
	try {
		const environment = readFileSync(`/proc/${pid}/environ`);
		if (environment.length === 0) return isStarting(pid) ? 'unknown' : 'other';
		const at = environment.indexOf(`${MARK_VARIABLE}=${mark}`);
		return at === 0 || (at > 0 && environment[at - 1] === 0) ? 'marked' : 'other';
	} catch (error) {
		return isCode(error, 'ENOENT', 'ESRCH') ? 'unknown' : 'other';
	}
}

const KERNEL_THREADS_PARENT = 2;

/** True for a process in exec, whose environment is empty; zombies and kernel threads never have one. */
function isStarting(pid: number): boolean {
	const found = processStat(pid);
	return found !== undefined && !'ZX'.includes(found.state) && found.parent !== KERNEL_THREADS_PARENT;
}
