/*
 * A command is data: its usage, its examples, its flags, and what it does.
 * Help, completion, parsing and error messages all come from that one value and from
 * its line in the table of commands, which has the summary.
 */
import { OrchestraError } from '../errors.ts';
import type { InputStream, Output } from './terminal/output.ts';

export interface Flag {
	help: string;
	/** How its value is called in the help, e.g. `MS`. A flag without one is a switch. */
	value?: string;
	/** The value may be left out, so it is given after `=` only. */
	isValueOptional?: boolean;
	short?: string;
	/** It may be given several times; `lists` has all its values, `flags` the last. */
	repeats?: boolean;
}

/** How `--json` is explained in the help of most commands. */
export const jsonFlag: Flag = { help: 'print one JSON object on stdout' };

/** Where a command runs: what a path is relative to, and the variables. */
export interface CommandPlace {
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

export interface CommandInput extends CommandPlace {
	/** The arguments after the command, flags taken out. */
	args: readonly string[];
	flags: Readonly<Record<string, string | boolean | undefined>>;
	/** All values of the flags that repeat, in their order. */
	lists?: ReadonlyMap<string, readonly string[]>;
	out: Output;
	/** Opened by the first call. */
	stdin: () => InputStream;
	/** The script of mctl, for a Node that starts it once more. */
	program: string;
	/** Aborted by the first Ctrl-C or SIGTERM. */
	signal: AbortSignal;
}

export type ArgCount = readonly [least: number, most: number, what: string];

export interface Command {
	usage: string;
	/** Shown first in the help; each must work as written. */
	examples: readonly string[];
	flags: Readonly<Record<string, Flag>>;
	/** How many arguments it takes, and what they are, as in `mctl trust accept needs the name of a server`. Default: none. */
	args?: ArgCount;
	/** A server: a first signal is its normal end, with exit code 0. Other commands end with 130 or 143. */
	isServer?: boolean;
	/** An agent waits for each start of it, so the build puts the modules of its start in few files (`scripts/build.mjs`). */
	isAwaited?: boolean;
	/** How long it may take to end after a first signal, in milliseconds. Default 5 s, for a server 10 s. */
	graceMs?: number;
	/** Resolves to the exit code, when it is neither 0 nor that of an error. */
	run(input: CommandInput): Promise<number | void>;
}

/** Wrong usage: exit 64, with the usage line as the hint. */
export function usageError(command: Pick<Command, 'usage'>, message: string): OrchestraError {
	return new OrchestraError('bad_input', message, { hint: `usage: ${command.usage}` });
}

/** True when there is a user at a terminal who can answer a prompt. */
export function canAskUser({ flags, stdin, out }: Pick<CommandInput, 'flags' | 'stdin' | 'out'>): boolean {
	return stdin().isTTY === true && out.hasLiveStderr && flags['json'] !== true;
}

/** `mctl hub stop`. */
export function nameOfCommand({ usage }: Pick<Command, 'usage'>): string {
	return /^mctl(?: [a-z-]+(?= |$))+/.exec(usage)?.[0] ?? 'mctl';
}

/** Throws `bad_input` for arguments that are too few or too many. */
export function checkArgs(args: readonly string[], command: Pick<Command, 'usage' | 'args'>): void {
	const [least, most, what] = command.args ?? [0, 0, 'flags only'];
	const name = nameOfCommand(command);
	if (args.length < least) throw usageError(command, `${name} needs ${what}`);
	if (args.length > most)
		throw usageError(command, `unexpected argument "${args[most]}": ${name} takes ${what}`);
}

/** The value of a flag; undefined without it. */
export function textFlag({ flags }: Pick<CommandInput, 'flags'>, name: string): string | undefined {
	const value = flags[name];
	return typeof value === 'string' ? value : undefined;
}

/** A flag that takes a whole number of milliseconds or the like. */
export function numberFlag(
	input: Pick<CommandInput, 'flags'>,
	command: Pick<Command, 'usage'>,
	name: string,
): number | undefined {
	const text = textFlag(input, name);
	if (text === undefined) return undefined;
	if (!/^\d{1,9}$/.test(text)) throw usageError(command, `--${name} takes a whole number, not "${text}"`);
	return Number(text);
}
