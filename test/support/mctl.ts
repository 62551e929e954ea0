/*
 * Run mctl as a user would. A command that ends by itself runs within this process, by the
 * same code and from the same built files: a process for each takes a third of a second. A
 * real process is used for commands that are one (`serve`, `bridge`, the hub), and by tests
 * about processes: signals, closed pipes, the variables of Node.js.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type * as RunCommand from '../../src/cli/run-command.ts';

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
	/** A line of shell that runs first in a process of its own: a limit. */
	before?: string;
}

/** Start mctl and leave it running. */
export function startMctl(args: string[], options: MctlOptions = {}): ChildProcessWithoutNullStreams {
	const { before, cwd } = options;
	const words = [process.execPath, main, ...args];
	const [command = '', ...rest] = before ? ['sh', '-c', `${before}; exec "$@"`, 'sh', ...words] : words;
	const child = spawn(command, rest, { cwd, env: { ...process.env, ...options.env } });
	child.stdin.on('error', () => {}); // a command that reads no input may be gone before it comes
	return child;
}

/** Run mctl to its end, in a process of its own. */
export async function mctlProcess(args: string[], options: MctlOptions = {}): Promise<MctlResult> {
	const child = startMctl(args, options);
	child.stdin.end(options.input ?? '');
	const exited = once(child, 'close');
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	const [code, signal] = await exited;
	return { stdout, stderr, code, signal };
}

/** Commands that use the stdin, stdout or exit of their process. */
const OWN_PROCESS = /^(?:serve|bridge|worker|demo|record|replay|hub run)\b/;

/** Run mctl to its end. */
export async function mctl(args: string[], options: MctlOptions = {}): Promise<MctlResult> {
	// Such variables are read by Node.js when it starts.
	const isForNode = Object.keys(options.env ?? {}).some((name) => name.startsWith('NODE_'));
	if (isForNode || OWN_PROCESS.test(args.join(' '))) return mctlProcess(args, options);
	const [stdout, stderr] = [new Collected(), new Collected()];
	const stdin = Readable.from(piecesOf(Buffer.from(options.input ?? '')), { objectMode: false });
	const code = await mctlHere(args, options, { stdin, stdout, stderr });
	return { stdout: stdout.text, stderr: stderr.text, code, signal: null };
}

/** As they come from a pipe. */
function* piecesOf(input: Buffer): Generator<Buffer> {
	for (let at = 0; at < input.length; at += PIECE_BYTES) yield input.subarray(at, at + PIECE_BYTES);
}

const PIECE_BYTES = 64 * 1024;

/** Everything that was written. */
export class Collected extends Writable {
	readonly #chunks: Buffer[] = [];

	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.#chunks.push(chunk);
		done();
	}

	get bytes(): Buffer {
		return Buffer.concat(this.#chunks);
	}

	get text(): string {
		return this.bytes.toString('utf8');
	}
}

type Streams = { stdin: Readable; stdout: Writable; stderr: Writable };

/** Run mctl within this process. */
export async function mctlHere(
	args: readonly string[],
	{ cwd = process.cwd(), env }: MctlOptions,
	{ stdin, stdout, stderr }: Streams,
): Promise<number> {
	const built = new URL('../../dist/cli/run-command.js', import.meta.url).href;
	const { runCommand, Output }: typeof RunCommand = await import(/* @vite-ignore */ built);
	const environment = { ...process.env, ...env };
	const out = new Output(stdout, stderr, environment);
	const { signal } = new AbortController();
	const before = process.exitCode;
	running++;
	const code = await runCommand(args, { cwd, environment, stdin: () => stdin, program: main, out, signal });
	running--;
	if (process.exitCode === before) return code;
	throw new Error(`mctl ${args.join(' ')} set the exit code of its process`);
}

let running = 0;
const { cwd: ownFolder } = process;
// A command gets its working directory; one that reads that of this process would work on the wrong files.
process.cwd = () => {
	const folder = ownFolder.call(process);
	if (running > 0 && new Error().stack?.includes('/dist/c'))
		throw new Error(`a command asked for the working directory of its process, ${folder}`);
	return folder;
};
