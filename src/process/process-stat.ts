/* The state of a process from /proc/<pid>/stat on Linux. */
import { readFileSync, readlinkSync } from 'node:fs';
import { attempt } from '../errors.ts';

export interface ProcessStat {
	/** `Z` for a zombie, `X` while the process is removed, `T` for a stopped process. */
	readonly state: string;
	readonly parent: number;
	readonly group: number;
	/** Start time in ticks since boot. */
	readonly startTicks: string;
}

/** Undefined when there is no such process, or no /proc. */
export function processStat(pid: number | string): ProcessStat | undefined {
	// It may have exited.
	return attempt(() => {
		const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
		// The name in parentheses may hold anything; the fields after it are counted from the third.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		const [state = '', parent, group] = fields;
		return { state, parent: Number(parent), group: Number(group), startTicks: fields[19] ?? '' };
	});
}

/**
 * A name of a process that no other has: `<pid namespace>-<pid>-<start time>`. Without a start time for a process that
 * is gone, or is a zombie. Linux only.
 */
export function uniqueProcessName(pid: number): string {
	const found = processStat(pid);
	const startTicks = found === undefined || found.state === 'Z' ? '' : found.startTicks;
	return `${pidNamespace()}-${pid}-${startTicks}`;
}

/** Whether the process with this unique name is alive. */
export function isAlive(name: string): boolean {
	// A system may have no /proc.
	return attempt(() => uniqueProcessName(Number(name.split('-')[1])) === name, false);
}

/** A folder may be shared with containers, which have other pids. */
export function pidNamespace(): string {
	return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
}
