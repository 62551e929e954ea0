/*
 * The learner in waiting: when this process ends before the lists of a server are known
 * for the first time, `mctl learn` starts the server again and caches its lists, so that
 * the next session has them.
 *
 * Agents end their servers with a signal, SIGKILL too, so nothing can be done at the end.
 * A shell waits instead: it reads the keys of the servers from a pipe, and when the pipe
 * ends it becomes the learner. It is in a session of its own and no child of this process,
 * so it is not ended with it. It costs 1 MB, and only while a server is unknown.
 */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { withoutMark } from '../../process/guard/mark.ts';
import type { Learning } from '../sources/mcp/server-deps.ts';

/** The last line has the keys that are left. */
const script = `{
	keys=
	while read -r line; do keys=$line; done <&3
	exec 3<&-
	[ -z "$keys" ] || exec "$@" $keys
} </dev/null >/dev/null 2>&1 &`;

export interface LearnerStandbyOptions {
	/** The learner; it gets the keys as further arguments. */
	readonly command: readonly string[];
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** False with `ORCHESTRA_LEARN=off`. */
export function isLearningOn(environment: Readonly<NodeJS.ProcessEnv>): boolean {
	return environment['ORCHESTRA_LEARN'] !== 'off';
}

/** There is none on Windows, which has no such shell. */
export class LearnerStandby implements Learning {
	readonly #options: LearnerStandbyOptions;
	readonly #keys = new Set<string>();
	#pipe: Socket | undefined;

	constructor(options: LearnerStandbyOptions) {
		this.#options = options;
	}

	begin(key: string): void {
		this.#keys.add(key);
		this.#notify();
	}

	end(key: string): void {
		this.#keys.delete(key);
		this.#notify();
	}

	#notify(): void {
		if (process.platform === 'win32') return;
		if (this.#keys.size > 0) this.#pipe ??= this.#start();
		this.#pipe?.write(`${[...this.#keys].join(' ')}\n`);
		if (this.#keys.size > 0) return;
		this.#pipe?.end();
		this.#pipe = undefined;
	}

	#start(): Socket | undefined {
		const { command, cwd, environment } = this.#options;
		// Loaded here: most sessions know all their servers.
		const { spawn } = process.getBuiltinModule('node:child_process');
		const shell: ChildProcess = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
			cwd,
			env: withoutMark(environment),
			detached: true,
			stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
		});
		shell.on('error', () => {}); // without a shell the server stays unknown
		shell.unref();
		// Descriptor 3 is started as a pipe, which is a socket.
		const pipe = shell.stdio[3] as Socket | null | undefined;
		pipe?.on('error', () => {}); // the shell was killed
		pipe?.unref();
		return pipe ?? undefined;
	}
}
