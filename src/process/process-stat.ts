/* The state of a process from /proc/<pid>/stat on Linux. */
import { readFileSync } from 'node:fs';
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
