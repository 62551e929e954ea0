/* How a child becomes known to the guard without a gap: by a mark it carries, or by joining itself. */
import { existsSync } from 'node:fs';
import { MARK_VARIABLE } from './mark.ts';
import type { SpawnRequest } from './spawner.ts';

/** The guard finds marks where the system shows the environment of a process. */
export const canFindMarks: boolean = existsSync('/proc/self/environ');

/**
 * Registers the shell that runs it with the guard on descriptor 3, then becomes the program in "$@". A guard that was
 * killed this very moment must not take the child with it; the next guard will be told of the child by us.
 */
const joinScript = `trap '' PIPE; echo "+ $$" >&3 2>/dev/null; trap - PIPE; exec 3>&-; exec "$@"`;

/** What to start so that the guard knows of it from its first moment. */
export interface Enlisted {
	readonly file: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** To be given to the guard together with the pid. */
	readonly mark?: string;
	/** The pipe of the guard must be descriptor 3. */
	readonly needsPipe: boolean;
}

/** Announce the child of `request` to its guard. */
export function enlist(request: SpawnRequest, byMark: boolean = canFindMarks): Enlisted {
	const { file, args, env, guard } = request;
	if (!byMark) {
		return { file: '/bin/sh', args: ['-c', joinScript, 'sh', file, ...args], env, needsPipe: true };
	}
	const mark = guard.announce();
	return { file, args, env: { ...env, [MARK_VARIABLE]: mark }, mark, needsPipe: false };
}
