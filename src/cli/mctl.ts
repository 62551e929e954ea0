/*
 * The command line of mctl: find the command, parse its flags, run it, and turn
 * what it threw into an exit code. The only file that may end the process.
 */
import { OrchestraError } from '../errors.ts';
import { packageVersion } from '../files/package-version.ts';
import { printable } from '../printable.ts';
import { askedCommand } from './asked-command.ts';
import { commands } from './commands.ts';
import { exitCodes } from './exit.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { parseFlags } from './parse-flags.ts';
import { Output } from './terminal/output.ts';

/** How long a canceled command has to end by itself before the process does, unless it says otherwise. */
const INTERRUPT_GRACE_MS = 5000;

/** The same for a server, which has children to stop. */
const SERVER_GRACE_MS = 10_000;

/** How long a server that has closed everything may take to exit, before the process is ended. */
const EXIT_GRACE_MS = 3000;

const out = new Output(process.stdout, process.stderr, process.env);
const interrupt = new AbortController();
let graceMs = INTERRUPT_GRACE_MS;
let hasEnded = false;
const signals = ['SIGINT', 'SIGTERM'] as const;
for (const signal of signals) process.on(signal, onSignal);
// Without this, a signal during the teardown of Node.js would replace the exit code.
process.once('beforeExit', () => process.exit());
await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
	try {
		await run(args);
	} catch (thrown) {
		const error = OrchestraError.from(thrown, isSystemError(thrown) ? 'io' : 'internal');
		const asJson = wantsJson(args);
		out.error(error, asJson);
		if (error.code === 'internal' && error.cause instanceof Error && !asJson)
			out.note(printable(error.cause.stack ?? ''));
		// After a signal the exit code says which one.
		if (!interrupt.signal.aborted) process.exitCode = exitCodes[error.code];
	} finally {
		hasEnded = true;
	}
}

async function run(args: string[]): Promise<void> {
	const asked = askedCommand(commands, args);
	if (asked.kind === 'version') return out.line(packageVersion());
	if (asked.kind === 'overview') return out.line(overview(commands));
	if (asked.kind === 'group') return out.line(groupHelp(commands, asked.name));
	const command = await asked.entry.load();
	const { words, flags, lists } = parseFlags(command, asked.rest);
	if (flags['help']) return out.line(commandHelp(asked.entry, command));
	graceMs = command.graceMs ?? (command.isServer ? SERVER_GRACE_MS : INTERRUPT_GRACE_MS);
	try {
		await command.run({ words, flags, lists, out, environment: process.env, signal: interrupt.signal });
		if (command.isServer && interrupt.signal.aborted) process.exitCode = 0;
	} finally {
		// A server has flushed its output or given it up; a handle that is left must not keep it alive.
		if (command.isServer) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
	}
}

/** What stands behind `--` is no flag. */
function wantsJson(args: readonly string[]): boolean {
	const end = args.indexOf('--');
	return args.slice(0, end < 0 ? args.length : end).includes('--json');
}

/** An error of the operating system: a full disk, a folder without write permission. */
function isSystemError(thrown: unknown): boolean {
	return thrown instanceof Error && 'syscall' in thrown;
}

function onSignal(signal: NodeJS.Signals): void {
	const code = signal === 'SIGINT' ? exitCodes.canceled : 143;
	if (interrupt.signal.aborted) process.exit(code);
	// A command that is over has its own exit code.
	if (!hasEnded) process.exitCode = code;
	interrupt.abort(new OrchestraError('canceled', `interrupted by ${signal}`));
	setTimeout(() => process.exit(), graceMs).unref();
}
