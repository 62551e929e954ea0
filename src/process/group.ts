/*
 * A process group, addressed by the pid of its leader.
 *
 * The leader may be long gone while others of its group live on; the group is
 * gone only when none is left. There is no event for that, so it is asked.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const ASK_AGAIN_MS = 10;

/** Send a signal to every process of the group; false when none is left. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-group, signal);
	} catch {
		return false; // ESRCH: nobody there. EPERM cannot happen to a group of our own children.
	}
}

/** Wait until the group is empty; false when `ms` passed first. */
export async function groupGone(group: number, ms: number): Promise<boolean> {
	const giveUpAt = performance.now() + ms;
	while (signalGroup(group, 0)) {
		if (performance.now() >= giveUpAt) return false;
		await sleep(ASK_AGAIN_MS);
	}
	return true;
}
