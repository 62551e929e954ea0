/* The stop ladder: end of input, a polite signal, the last word. Each step to the whole family. */
import { Family } from './process-family.ts';

/** How long a child has after its stdin was closed, in milliseconds. */
export const STOP_EOF_MS = 1000;
/** How long its family has after SIGTERM, in milliseconds. */
export const STOP_TERM_MS = 1000;
/** How long the kernel has to reap it after SIGKILL, in milliseconds. */
export const STOP_KILL_MS = 1000;

/** End what is left of a family: SIGTERM, a wait, SIGKILL. Resolves when it is gone. */
export async function endFamily(family: Family): Promise<void> {
	if (!family.signal('SIGTERM')) return;
	if (await family.gone(STOP_TERM_MS)) return;
	family.signal('SIGKILL');
	await family.gone(STOP_KILL_MS);
}

/** The same for a process group alone, whose mark is not known. */
export function endGroup(group: number): Promise<void> {
	return endFamily(new Family({ pid: group, startedAt: performance.now() }, undefined));
}
