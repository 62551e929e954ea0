/* The stop ladder: end of input, SIGTERM, SIGKILL. Each step applies to the whole process tree. */
import { ProcessTree } from './guard/process-tree.ts';

/** How long a child has after its stdin was closed, in milliseconds. */
export const STOP_EOF_MS = 1000;
/** How long its process tree has after SIGTERM, in milliseconds. */
export const STOP_TERM_MS = 1000;
/** How long the kernel has to reap it after SIGKILL, in milliseconds. */
export const STOP_KILL_MS = 1000;

/** Stop what is left of a process tree: SIGTERM, a wait, SIGKILL. Resolves when it is gone. */
export async function stopTree(tree: ProcessTree): Promise<void> {
	if (!(await tree.signal('SIGTERM'))) return;
	if (await tree.gone(STOP_TERM_MS)) return;
	await tree.signal('SIGKILL');
	await tree.gone(STOP_KILL_MS);
}

/** The same for a process group alone, whose mark is not known. */
export function stopGroup(group: number): Promise<void> {
	return stopTree(new ProcessTree({ pid: group, startedAt: performance.now() }, undefined));
}
