/*
 * Who a process is: its pid and when it started. A pid alone is given to another
 * process sooner or later, so nothing is ever signalled by pid alone.
 */
import { processStat } from '../../process/process-stat.ts';

export interface ProcessIdentity {
	readonly pid: number;
	/** When it started, in the words of this system; only good for comparing. */
	readonly startTime: string;
}

/** The identity of a living process; undefined when there is none with this pid. */
export function identityOf(pid: number): ProcessIdentity | undefined {
	const startTime = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
	return startTime === undefined ? undefined : { pid, startTime };
}

/** True while the very process lives. */
export function isSameProcess({ pid, startTime }: ProcessIdentity): boolean {
	return identityOf(pid)?.startTime === startTime;
}

function startTimeFromProc(pid: number): string | undefined {
	const found = processStat(pid);
	return found?.state === 'Z' ? undefined : found?.startTicks;
}

function startTimeFromPs(pid: number): string | undefined {
	try {
		// Loaded here because a bridge on Linux must not wait for it.
		const { execFileSync } = process.getBuiltinModule('node:child_process');
		const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
			encoding: 'utf8',
			timeout: 2000,
		}).trim();
		return text === '' ? undefined : text;
	} catch {
		return undefined; // ps exits 1 when there is no such process
	}
}
