/* The description of a program to start, from a configuration file, a URI or a caller. */
import { redactArgs } from '../named-secrets.ts';
import { printableLine, quoted } from '../printable.ts';
import type { ChildLimits } from './sandbox/child-limits.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** A program to start. */
export interface SpawnRecord {
	/** A name to look up on PATH, or a path. Never a shell command line. */
	readonly command: string;
	readonly args?: readonly string[] | undefined;
	/** Added to the minimal environment. */
	readonly env?: Readonly<Record<string, string>> | undefined;
	readonly cwd?: string | undefined;
	/** How long a request to this program may take, in milliseconds. */
	readonly timeoutMs?: number | undefined;
	/** Its sandbox. Default: everything that this user may. */
	readonly sandbox?: Sandbox | undefined;
	readonly limits?: ChildLimits | undefined;
}

/** The record as a shell command line for users: without the environment, and with secrets in the arguments replaced. */
export function commandLine({ command, args = [] }: SpawnRecord): string {
	return [command, ...redactArgs(command, args)].map((arg) => quoted(printableLine(arg))).join(' ');
}
