/* Processes started by this process itself. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { JOIN_GUARD_SCRIPT } from './guard.ts';
import type { ExitStatus, SpawnedProcess, Spawner, SpawnRequest } from './spawner.ts';

/** The words that start a program in a shell which first joins the guard. */
export function guardedWords({ file, args }: Pick<SpawnRequest, 'file' | 'args'>): [string, string[]] {
	return ['/bin/sh', ['-c', JOIN_GUARD_SCRIPT, 'sh', file, ...args]];
}

export const directSpawner: Spawner = {
	async spawn(request: SpawnRequest): Promise<SpawnedProcess> {
		const child = spawnInGroup(request);
		const exited = new Promise<ExitStatus>((resolve) => {
			child.once('exit', (code, signal) => resolve({ code, signal }));
		});
		await once(child, 'spawn');
		const { stdin, stdout, stderr, pid = 0 } = child;
		return { pid, stdin, stdout, stderr, exited, kill: (signal) => void child.kill(signal) };
	},
};

function spawnInGroup(request: SpawnRequest): ChildProcessWithoutNullStreams {
	const { cwd, env, guard } = request;
	if (process.platform === 'win32') {
		return spawn(request.file, request.args, { cwd, env, windowsHide: true });
	}
	const [file, args] = guardedWords(request);
	const stdio = ['pipe', 'pipe', 'pipe', guard.pipe] as const;
	const child = spawn(file, args, { cwd, env, detached: true, stdio: [...stdio] });
	// The first three entries of `stdio` are pipes, which is what this type says.
	return child as ChildProcessWithoutNullStreams;
}
