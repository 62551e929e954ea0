/*
 * Find the processes that carry a mark, by reading /proc. Linux only; elsewhere none is found.
 *
 * Pids are given out in ascending order, so the descendants of a young child have
 * pids between its own and the last one given out, which /proc/loadavg tells. That
 * makes the search after a short run a matter of microseconds. An old child may have
 * seen the numbers wrap around, so for it every process is read.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isCode } from '../errors.ts';
import { MARK_VARIABLE } from './mark.ts';
import { processStat } from './process-stat.ts';

/** The pids given out within this time after the start of a child do not wrap around. */
const YOUNG_MS = 2000;

/** How often we look again when a process ended or began a program while we looked. */
const LOOKS = 3;

/** Up to so many pids it is faster to ask for each than to list all. */
const FEW_PIDS = 64;

/** The child whose descendants are looked for. */
export interface Origin {
	readonly pid: number;
	/** Milliseconds on the clock of `performance.now`. */
	readonly startedAt: number;
}

/** Pids of the living processes whose mark begins with `mark`. Processes that we may not read are left out. */
export function findMarked(mark: string, origin?: Origin): number[] {
	if (process.platform !== 'linux') return [];
	for (let look = 1; ; look++) {
		const seen = candidates(origin).map((pid) => ({ pid, sight: lookAt(pid, mark) }));
		const found = seen.filter(({ sight }) => sight === 'marked').map(({ pid }) => pid);
		// A process that forked and ended while we looked left one that was not listed.
		const isSure = !seen.some(({ sight }) => sight === 'unclear');
		if (found.length > 0 || isSure || look === LOOKS) return found;
	}
}

/** True while the process lives and its mark begins with `mark`. */
export function isMarked(pid: number, mark: string): boolean {
	return lookAt(pid, mark) === 'marked';
}

/** True while a guard, or its backup, ends the processes whose mark begins with `mark`: it has the mark as an argument. */
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
	const isYoung = origin !== undefined && performance.now() - origin.startedAt < YOUNG_MS;
	const last = isYoung ? lastPid() : 0;
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

function listPids(isWanted: (pid: number) => boolean): number[] {
	return readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0 && pid !== process.pid && isWanted(pid));
}

/** The pid that was given out last; 0 when the system does not say. */
function lastPid(): number {
	try {
		return Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ').pop()) || 0;
	} catch {
		return 0;
	}
}

type Sight = 'marked' | 'other' | 'unclear';

function lookAt(pid: number, mark: string): Sight {
	try {
		const environment = readFileSync(`/proc/${pid}/environ`);
		if (environment.length === 0) return isStarting(pid) ? 'unclear' : 'other';
		const at = environment.indexOf(`${MARK_VARIABLE}=${mark}`);
		return at === 0 || (at > 0 && environment[at - 1] === 0) ? 'marked' : 'other';
	} catch (error) {
		return isCode(error, 'ENOENT', 'ESRCH') ? 'unclear' : 'other';
	}
}

const KERNEL_THREADS_PARENT = 2;

/** A process shows no environment while its program is loaded; zombies and threads of the kernel never do. */
function isStarting(pid: number): boolean {
	const found = processStat(pid);
	return found !== undefined && !'ZX'.includes(found.state) && found.parent !== KERNEL_THREADS_PARENT;
}
