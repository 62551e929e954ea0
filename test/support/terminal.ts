/*
 * Run the built mctl in a terminal: a pseudo-terminal that python3 opens, for a process of
 * its own; or streams that claim to be one, for a command within this process.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Collected, main, mctlHere } from './mctl.ts';

/** A machine may have Node alone. */
export const hasTerminal: boolean = spawnSync('python3', ['-c', 'import pty']).status === 0;

const OPEN_TERMINAL = `
import fcntl, os, pty, select, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(os.environ['COLUMNS_WANTED']), 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(0)
    if terminal not in ready:
        continue
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** What is typed when a text is on the screen; each once, in this order. */
export type Typed = readonly [when: string, keys: string];

export interface TerminalResult {
	/** Everything on the screen, stdout and stderr together, byte by byte. */
	bytes: Buffer;
	/** The same as lines. */
	screen: string;
	code: number | null;
}

/** Run mctl to its end with a terminal as stdin, stdout and stderr. */
export async function mctlInTerminal(
	args: string[],
	{
		cwd,
		env,
		columns = 80,
		typed = [],
	}: { cwd?: string; env?: Record<string, string>; columns?: number; typed?: readonly Typed[] } = {},
): Promise<TerminalResult> {
	const child = spawn('python3', ['-c', OPEN_TERMINAL, process.execPath, main, ...args], {
		cwd,
		env: { ...process.env, TERM: 'xterm', NO_COLOR: '', COLUMNS_WANTED: String(columns), ...env },
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const exited = once(child, 'close');
	typeWhenShown(child, typed);
	const bytes = await buffer(child.stdout);
	const [code] = await exited;
	return { bytes, screen: bytes.toString('utf8').replaceAll('\r\n', '\n'), code };
}

/** The same within this process, for a command that is not typed to. */
export async function mctlOnScreen(
	args: string[],
	{ cwd, env, columns = 80 }: { cwd: string; env: Record<string, string>; columns?: number },
): Promise<TerminalResult> {
	const screen = Object.assign(new Collected(), { isTTY: true, columns });
	const stdin = Object.assign(new PassThrough(), { isTTY: true });
	const variables = { TERM: 'xterm', NO_COLOR: '', ...env };
	const code = await mctlHere(args, { cwd, env: variables }, { stdin, stdout: screen, stderr: screen });
	return { bytes: screen.bytes, screen: screen.text, code };
}

function typeWhenShown(
	{ stdin, stdout }: Pick<ChildProcessByStdio<Writable, Readable, null>, 'stdin' | 'stdout'>,
	typed: readonly Typed[],
): void {
	stdin.on('error', () => {}); // the command ended first
	const [next, ...rest] = typed;
	if (next === undefined) return;
	let seen = '';
	const onData = (chunk: Buffer): void => {
		seen += chunk.toString('utf8');
		if (!seen.includes(next[0])) return;
		stdout.off('data', onData);
		stdin.write(next[1]);
		typeWhenShown({ stdin, stdout }, rest);
	};
	stdout.on('data', onData);
}
