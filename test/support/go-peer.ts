/* The peer written in Go, built once where Go and its packages can be had. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './workspace.ts';

const run = promisify(execFile);
const BUILD_MS = 60_000;

/** The path of the program, or why there is none. */
export async function buildGoPeer(): Promise<{ program: string } | { reason: string }> {
	const cwd = new URL('../fixtures/go-peer/', import.meta.url).pathname;
	const program = join(temporaryFolder(), 'go-peer');
	try {
		await run('go', ['build', '-o', program, '.'], {
			cwd,
			timeout: BUILD_MS,
			env: { ...process.env, GOTOOLCHAIN: 'local' },
		});
		return { program };
	} catch (error) {
		const [line = ''] = String(error instanceof Error ? error.message : error)
			.split('\n')
			.slice(-2);
		return { reason: `the Go peer cannot be built here: ${line}` };
	}
}

export async function runGoPeer(program: string, ...args: string[]): Promise<string[]> {
	const { stdout } = await run(program, args, { timeout: 40_000 });
	return stdout.trim().split('\n');
}

/** Start the Go server, or the Go orchestrator with its plugin; gives back its address. */
export async function startGoServer(
	program: string,
	certs: string,
	mode: 'serve' | 'orchestrator' = 'serve',
): Promise<string> {
	const child: ChildProcessWithoutNullStreams = spawn(program, [mode, certs]);
	onTestFinished(() => void child.kill('SIGKILL'));
	const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
	return chunk.toString().trim();
}
