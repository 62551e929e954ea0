/* Start processes directly from this process. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { guardCommand } from '../guard/guard-command.ts';
import type { ExitStatus, SpawnedProcess, Spawner, SpawnRequest } from './spawner.ts';

export const directSpawner: Spawner = {
	async spawn(request: SpawnRequest): Promise<SpawnedProcess> {
		const { child, mark } = process.platform === 'win32' ? spawnAlone(request) : spawnInGroup(request);
		const exited = new Promise<ExitStatus>((resolve) => {
			child.once('exit', (code, signal) => resolve({ code, signal }));
		});
		await once(child, 'spawn');
		const { stdin, stdout, stderr, pid = 0 } = child;
		return { pid, mark, stdin, stdout, stderr, exited, kill: (signal) => void child.kill(signal) };
	},
};

interface Started {
	readonly child: ChildProcessWithoutNullStreams;
	readonly mark?: string | undefined;
}

function spawnAlone({ file, args, cwd, env }: SpawnRequest): Started {
	return { child: spawn(file, args, { cwd, env, windowsHide: true }) };
}

function spawnInGroup(request: SpawnRequest): Started {
	const { cwd, guard } = request;
	const { file, args, env, mark, needsPipe } = guardCommand(request);
	const stdio = ['pipe', 'pipe', 'pipe', ...(needsPipe ? [guard.pipe] : [])] as const;
	let pid: number | undefined;
	try {
		const child = spawn(file, args, { cwd, env, detached: true, stdio: [...stdio] });
		({ pid } = child);
		// The first three entries of `stdio` are pipes, which is what this type says.
		return { child: child as ChildProcessWithoutNullStreams, mark };
	} finally {
		if (pid !== undefined) guard.add(pid, mark);
		else if (mark !== undefined) guard.remove(mark);
	}
}
