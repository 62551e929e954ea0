/*
 * The process of a command: its streams, its signals, its end. The only file that may end
 * the process.
 */
import { isProgramReplaced, OrchestraError } from '../errors.ts';
import { EXIT_GRACE_MS, INTERRUPT_GRACE_MS, SERVER_GRACE_MS } from './cli-limits.ts';
import type { Command } from './command.ts';
import { exitCodes } from './exit.ts';
import { runCommand, wantsJson } from './run-command.ts';
import { Output } from './terminal/output.ts';

const args = process.argv.slice(2);
const out = new Output(process.stdout, process.stderr, process.env);
const interrupt = new AbortController();
let command: Command | undefined;
let hasEnded = false;
let saysReplaced = false;
const signals = ['SIGINT', 'SIGTERM'] as const;
for (const signal of signals) process.on(signal, onSignal);
process.on('unhandledRejection', onRejection);
// Without this, a signal during the teardown of Node.js would replace the exit code.
process.once('beforeExit', () => {
	if (!hasEnded && !interrupt.signal.aborted) reportUnended();
	reportUnwritten();
	process.exit();
});

const context = {
	// A getter: a command that does not need it works also where the folder is gone.
	get cwd(): string {
		return process.cwd();
	},
	environment: process.env,
	stdin: () => process.stdin,
	program: process.argv[1] ?? '',
	out,
	signal: interrupt.signal,
};
const code = await runCommand(args, context, (found) => {
	command = found;
});
hasEnded = true;
// After a signal the exit code says which one, unless it was the normal end of a server.
if (!interrupt.signal.aborted || (command?.isServer && code === 0)) process.exitCode = code;
// A server has flushed its output or given it up; a handle that is left must not keep it alive.
if (command?.isServer) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();

/** Nothing is left that could end the command: its answer is missing, so it is no success. */
function reportUnended(): void {
	const error = new OrchestraError(
		'internal',
		'the command waits for something that cannot happen any more',
		{
			hint: 'This is a defect of mctl. Run it again; with LOG_LEVEL=debug it shows what it did last.',
		},
	);
	out.error(error, wantsJson(args));
	process.exitCode = exitCodes[error.code];
}

/** An answer that is not whole is no success. */
function reportUnwritten(): void {
	const { unwritten } = out;
	if (unwritten === undefined) return;
	out.error(unwritten, wantsJson(args));
	if (!process.exitCode) process.exitCode = exitCodes[unwritten.code];
}

/**
 * An unhandled rejection is a defect and ends the process. Only work in the background that needs a file of an
 * upgraded program is given up: the calls in flight do not need it, and one that does says so.
 */
function onRejection(reason: unknown): void {
	if (!isProgramReplaced(reason)) throw reason;
	if (!saysReplaced) out.error(OrchestraError.from(reason), wantsJson(args));
	saysReplaced = true;
}

function onSignal(signal: NodeJS.Signals): void {
	const exitCode = signal === 'SIGINT' ? exitCodes.canceled : 143;
	if (interrupt.signal.aborted) process.exit(exitCode);
	// A command that is over has its own exit code.
	if (!hasEnded) process.exitCode = exitCode;
	interrupt.abort(new OrchestraError('canceled', `interrupted by ${signal}`));
	const graceMs = command?.graceMs ?? (command?.isServer ? SERVER_GRACE_MS : INTERRUPT_GRACE_MS);
	setTimeout(() => process.exit(), graceMs).unref();
}
