/* Run the built mctl as a user would. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The built mctl, for a Node to run. */
export const main: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface MctlResult {
	stdout: string;
	stderr: string;
	code: number | null;
	signal: NodeJS.Signals | null;
}

export interface MctlOptions {
	input?: string | Uint8Array;
	cwd?: string;
	env?: Record<string, string>;
}

/** Start mctl and leave it running. */
export function startMctl(args: string[], options: MctlOptions = {}): ChildProcessWithoutNullStreams {
	const child = spawn(process.execPath, [main, ...args], {
		cwd: options.cwd,
		env: { ...process.env, ...options.env },
	});
	child.stdin.on('error', () => {}); // a command that reads no input may be gone before it comes
	return child;
}

/** Run mctl to its end. */
export async function mctl(args: string[], options: MctlOptions = {}): Promise<MctlResult> {
	const child = startMctl(args, options);
	child.stdin.end(options.input ?? '');
	const exited = once(child, 'close');
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	const [code, signal] = await exited;
	return { stdout, stderr, code, signal };
}
