/* Register a child with the guard before it runs: by a mark in its environment, or by a shell wrapper. */
import { existsSync } from 'node:fs';
import type { FoundProgram } from '../sandbox/sandbox.ts';
import type { SpawnRequest } from '../spawn/spawner.ts';
import { MARK_VARIABLE } from './mark.ts';

/** True where /proc shows the environment of a process, so that the guard can find marks. */
export const canFindMarks: boolean = existsSync('/proc/self/environ');

/**
 * Registers its own pid with the guard on descriptor 3, then execs the program in "$@". SIGPIPE is ignored: when
 * the guard was just killed, the child must survive; we register it with the next guard.
 */
const joinScript = `trap '' PIPE; echo "+ $$" >&3 2>/dev/null; trap - PIPE; exec 3>&-; exec "$@"`;

/** A command line and environment that register the child with the guard. */
export interface GuardCommand extends Pick<FoundProgram, 'file' | 'args' | 'env'> {
	/** Pass it to the guard together with the pid. */
	readonly mark?: string;
	/** The child needs the guard's pipe as descriptor 3. */
	readonly needsPipe: boolean;
}

/** The command for `request`; announces its mark to the guard. */
export function guardCommand(request: SpawnRequest, byMark: boolean = canFindMarks): GuardCommand {
	const { file, args, env, guard } = request;
	if (!byMark) {
		return { file: '/bin/sh', args: ['-c', joinScript, 'sh', file, ...args], env, needsPipe: true };
	}
	const mark = guard.announce();
	return { file, args, env: { ...env, [MARK_VARIABLE]: mark }, mark, needsPipe: false };
}
