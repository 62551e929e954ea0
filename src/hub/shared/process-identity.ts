/*
 * The identity of a process: its pid and start time. Pids are reused, so no process is
 * signalled by its pid alone.
 */
import { attempt } from '../../errors.ts';
import { processStat } from '../../process/process-stat.ts';

export interface ProcessIdentity {
	readonly pid: number;
	/** The start time in a system-specific form, for comparison only. */
	readonly startTime: string;
}

/** No process: the owner of what a process has left. */
export const NO_PROCESS: ProcessIdentity = { pid: 0, startTime: '' };

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
	return identityOf(process.pid) ?? { pid: process.pid, startTime: '' };
}

/** The identity of a living process; undefined when there is none with this pid. */
export function identityOf(pid: number): ProcessIdentity | undefined {
	const startTime = process.platform === 'linux' ? startTimeFromProc(pid) : fieldFromPs(pid, 'lstart');
	return startTime === undefined ? undefined : { pid, startTime };
}

/** True while this process lives. */
export function isSameProcess({ pid, startTime }: ProcessIdentity): boolean {
	return identityOf(pid)?.startTime === startTime;
}

function startTimeFromProc(pid: number): string | undefined {
	const found = processStat(pid);
	return found?.state === 'Z' ? undefined : found?.startTicks;
}

/** A field of a process as `ps` prints it; undefined when there is no such process. */
export function fieldFromPs(pid: number, field: 'lstart' | 'rss'): string | undefined {
	// The program ps exits 1 when there is no such process.
	return attempt(() => {
		// Loaded here, because it would slow down the start of a bridge on Linux.
		const { execFileSync } = process.getBuiltinModule('node:child_process');
		const text = execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], {
			encoding: 'utf8',
			timeout: 2000,
		}).trim();
		return text === '' ? undefined : text;
	});
}
