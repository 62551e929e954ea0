/* The stop ladder: end of input, SIGTERM, SIGKILL. Each step applies to the whole process tree. */
import { ProcessTree } from './guard/process-tree.ts';
import { STOP_KILL_MS, STOP_TERM_MS } from './process-limits.ts';

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
