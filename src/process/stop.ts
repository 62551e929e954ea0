/* The stop ladder: end of input, a polite signal, the last word. Each step to the whole group. */
import { groupGone, signalGroup } from './group.ts';

/** How long a child has after its stdin was closed, in milliseconds. */
export const STOP_EOF_MS = 1000;
/** How long its group has after SIGTERM, in milliseconds. */
export const STOP_TERM_MS = 1000;
/** How long the kernel has to bury it after SIGKILL, in milliseconds. */
export const STOP_KILL_MS = 1000;

/** End whatever is left of a group: SIGTERM, a wait, SIGKILL. Resolves when it is gone. */
export async function endGroup(group: number): Promise<void> {
	if (!signalGroup(group, 'SIGTERM')) return;
	if (await groupGone(group, STOP_TERM_MS)) return;
	signalGroup(group, 'SIGKILL');
	await groupGone(group, STOP_KILL_MS);
}
