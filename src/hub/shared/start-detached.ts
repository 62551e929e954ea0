/*
 * Start a daemon: a process that outlives its starter.
 *
 * An agent that ends may end its whole process tree, found by parent, session, process
 * group or environment. So a shell in a new session starts the program and exits at
 * once; the parent is then process 1 or the nearest subreaper. The mark by which a guard
 * finds stray children is removed from the environment.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { messageOf, OrchestraError } from '../../errors.ts';
import { assertPrivate, makePrivate } from '../../files/private-path.ts';
import { withoutMark } from '../../process/guard/mark.ts';
import { identityOf, type ProcessIdentity } from './process-identity.ts';
import { DETACHED_SHELL_MS } from './shared-limits.ts';

/** The shell starts the program in the background, prints its pid and exits. */
const script = '"$@" </dev/null >&2 & echo $!';

export interface DetachedOptions {
	readonly command: readonly string[];
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Receives stdout and stderr. */
	readonly logFile: string;
}

/** The started process; undefined when it ended already. Throws `spawn`. */
export async function startDetached(options: DetachedOptions): Promise<ProcessIdentity | undefined> {
	const { spawn } = await import('node:child_process'); // loaded here: usually a hub is already running
	const { cwd, environment, command } = options;
	const env = withoutMark(environment);
	const log = openLog(options.logFile);
	try {
		if (process.platform === 'win32') {
			const [program = '', ...args] = command;
			const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', log, log] });
			child.unref();
			return child.pid === undefined ? undefined : identityOf(child.pid);
		}
		const shell = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
			cwd,
			env,
			detached: true,
			stdio: ['ignore', 'pipe', log],
			timeout: DETACHED_SHELL_MS,
		});
		return identityOf(await printedPid(shell));
	} finally {
		closeSync(log);
	}
}

function openLog(file: string): number {
	try {
		assertPrivate(file);
		makePrivate(file, 0o600);
		return openSync(file, 'a', 0o600);
	} catch (thrown) {
		if (OrchestraError.is(thrown)) throw thrown;
		throw new OrchestraError('io', `the log of the hub, ${file}, cannot be written: ${messageOf(thrown)}`, {
			cause: thrown,
			hint: 'Make the folder writable, or name another place with XDG_STATE_HOME.',
		});
	}
}

function printedPid(shell: ChildProcess): Promise<number> {
	return new Promise((resolve, reject) => {
		let text = '';
		shell.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
		shell.once('error', (error) => reject(OrchestraError.from(error, 'spawn')));
		shell.once('close', (code) => {
			const pid = Number(text);
			if (pid > 0) resolve(pid);
			else reject(new OrchestraError('spawn', `the shell that starts the hub ended with code ${code}`));
		});
	});
}
