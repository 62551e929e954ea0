#!/usr/bin/env node
/*
 * mctl: find the command, parse its flags, run it, and turn what it threw into
 * an exit code. The only file that may end the process.
 */
import { OrchestraError } from '../errors.ts';
import { commands } from './commands.ts';
import { exitCodes } from './exit.ts';
import { commandHelp, overview } from './help.ts';
import { Output } from './output.ts';
import { findCommand, parseWords } from './parse.ts';
import { packageVersion } from './version.ts';

/** How long a canceled command has to end by itself before the process does, unless it says otherwise. */
const INTERRUPT_GRACE_MS = 5000;

const out = new Output(process.stdout, process.stderr, process.env);
const interrupt = new AbortController();
let graceMs = INTERRUPT_GRACE_MS;
const signals = ['SIGINT', 'SIGTERM'] as const;
for (const signal of signals) process.on(signal, onSignal);
await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
	try {
		await run(args);
	} catch (thrown) {
		const error = OrchestraError.from(thrown);
		out.error(error, args.includes('--json'));
		if (error.code === 'internal' && error.cause instanceof Error) out.note(error.cause.stack ?? '');
		process.exitCode = exitCodes[error.code];
	}
}

async function run(args: string[]): Promise<void> {
	if (args[0] === '--version') return out.line(packageVersion());
	if (args.length === 0 || args[0] === '--help' || args[0] === '-h') return out.line(overview(commands));
	const found = findCommand(commands, args);
	const command = await found.load();
	const { words, flags } = parseWords(command, found.rest);
	if (flags['help']) return out.line(commandHelp(command));
	graceMs = command.graceMs ?? INTERRUPT_GRACE_MS;
	if (command.ownsSignals) for (const signal of signals) process.off(signal, onSignal);
	await command.run({ words, flags, out, environment: process.env, signal: interrupt.signal });
}

function onSignal(signal: NodeJS.Signals): void {
	const code = signal === 'SIGINT' ? exitCodes.canceled : 143;
	if (interrupt.signal.aborted) process.exit(code);
	process.exitCode = code;
	interrupt.abort(new OrchestraError('canceled', `interrupted by ${signal}`));
	setTimeout(() => process.exit(code), graceMs).unref();
}
