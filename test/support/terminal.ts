/* Run the built mctl in a terminal of its own: a pseudo-terminal that python3 opens. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A machine may have Node alone. */
export const hasTerminal: boolean = spawnSync('python3', ['-c', 'import pty']).status === 0;

const OPEN_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(os.environ['COLUMNS_WANTED']), 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

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
	{ cwd, env, columns = 80 }: { cwd?: string; env?: Record<string, string>; columns?: number } = {},
): Promise<TerminalResult> {
	const child = spawn('python3', ['-c', OPEN_TERMINAL, process.execPath, main, ...args], {
		cwd,
		env: { ...process.env, TERM: 'xterm', NO_COLOR: '', COLUMNS_WANTED: String(columns), ...env },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = once(child, 'close');
	const bytes = await buffer(child.stdout);
	const [code] = await exited;
	return { bytes, screen: bytes.toString('utf8').replaceAll('\r\n', '\n'), code };
}
