/*
 * A process group, addressed by the pid of its leader.
 *
 * Members may outlive the leader; the group is gone when none is left. There is no
 * event for that, so it is polled. In a container orphans may never be reaped, so a
 * group of zombies counts as gone: on Linux /proc shows the state of a process.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt } from '../errors.ts';
import { GROUP_POLL_MS, POLLS_PER_PROC_SCAN } from './process-limits.ts';
import { processStat } from './process-stat.ts';

/** Send a signal to every process of the group; false when none is left. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
	// ESRCH: no such group. EPERM cannot happen to a group of our own children.
	return attempt(() => process.kill(-group, signal), false);
}

/** Send a signal to one process, which may have just exited, or changed its user. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
	attempt(() => process.kill(pid, signal));
}

/** Wait until no process of the group is alive; false when `ms` passed first. */
export async function groupGone(group: number, ms: number): Promise<boolean> {
	return polledUntilGone(ms, (isScan) => isGroupLeft(group, isScan));
}

/** Whether a process of the group is alive. Only a scan distinguishes zombies. */
export function isGroupLeft(group: number, isScan: boolean): boolean {
	return signalGroup(group, 0) && !(isScan && !hasLiveMember(group));
}

/** Poll until nothing is left; false when `ms` passed first. */
export async function polledUntilGone(
	ms: number,
	isLeft: (isScan: boolean) => boolean | Promise<boolean>,
): Promise<boolean> {
	const deadlineAt = performance.now() + ms;
	for (let polls = 1; await isLeft(polls % POLLS_PER_PROC_SCAN === 0); polls++) {
		if (performance.now() >= deadlineAt) return false;
		await sleep(GROUP_POLL_MS);
	}
	return true;
}

/** False when only zombies are left in the group. True where there is no /proc. */
function hasLiveMember(group: number): boolean {
	if (process.platform !== 'linux') return true;
	// The leader first: to read all processes costs milliseconds.
	if (isLiveMember(group, group)) return true;
	return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isLiveMember(Number(name), group));
}

/** True when the process belongs to the group and is not a zombie. Linux only. */
export function isLiveMember(pid: number, group: number): boolean {
	const found = processStat(pid);
	return found?.group === group && found.state !== 'Z' && found.state !== 'X';
}
