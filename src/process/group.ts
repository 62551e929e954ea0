/*
 * A process group, addressed by the pid of its leader.
 *
 * The leader may be long gone while others of its group live on; the group is
 * gone only when none is left. There is no event for that, so it is asked. In a
 * container nobody may reap orphans, so a group of zombies counts as gone: on
 * Linux /proc tells them from the living.
 */

import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStat } from './process-stat.ts';

/** How often it is asked whether a group is gone, in milliseconds. */
export const ASK_AGAIN_MS = 10;
/** /proc is read only every so often: it costs a few milliseconds. */
export const ASKS_PER_PROC_SCAN = 5;

/** Send a signal to every process of the group; false when none is left. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-group, signal);
	} catch {
		return false; // ESRCH: nobody there. EPERM cannot happen to a group of our own children.
	}
}

/** Wait until nobody of the group lives; false when `ms` passed first. */
export async function groupGone(group: number, ms: number): Promise<boolean> {
	const giveUpAt = performance.now() + ms;
	for (let asks = 1; signalGroup(group, 0); asks++) {
		if (asks % ASKS_PER_PROC_SCAN === 0 && !hasLivingMember(group)) return true;
		if (performance.now() >= giveUpAt) return false;
		await sleep(ASK_AGAIN_MS);
	}
	return true;
}

/** False when all that is left of the group are zombies. Where there is no /proc, true. */
export function hasLivingMember(group: number): boolean {
	if (process.platform !== 'linux') return true;
	return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isLivingMember(Number(name), group));
}

/** True when the process belongs to the group and is no zombie. Linux only. */
export function isLivingMember(pid: number, group: number): boolean {
	const found = processStat(pid);
	return found?.group === group && found.state !== 'Z' && found.state !== 'X';
}
