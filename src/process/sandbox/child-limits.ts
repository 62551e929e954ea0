/*
 * Resource limits of a child, set by the kernel and inherited by its descendants.
 *
 * Where a control group can be made (`control-group.ts`), it limits memory and processes.
 * Else `prlimit` (util-linux) sets them and becomes the program; without it a shell does the
 * same by `ulimit`. `memoryBytes` limits the data of each process (RLIMIT_DATA), not its
 * address space: runtimes reserve far more of that than they use. `processes` counts all
 * processes of the user, and the kernel does not apply it to root.
 */
import { attempt } from '../../errors.ts';
import { findCommand, spawnError } from '../find-command.ts';
import type { FoundProgram } from './sandbox.ts';

/** The limits of a child; undefined for none. */
export interface ChildLimits {
	/** Most memory of one process. */
	readonly memoryBytes?: number | undefined;
	/** Most processes and threads of the user. */
	readonly processes?: number | undefined;
	/** Most open files of one process. */
	readonly openFiles?: number | undefined;
}

const KILOBYTE = 1024;

/** The same program with these limits. Throws `spawn` on a system without them. */
export function limited(
	program: FoundProgram,
	limits: ChildLimits,
	environment: Readonly<NodeJS.ProcessEnv>,
	platform: NodeJS.Platform = process.platform,
): FoundProgram {
	const { memoryBytes, processes, openFiles } = limits;
	if (memoryBytes === undefined && processes === undefined && openFiles === undefined) return program;
	if (platform === 'win32') throw spawnError('there are no limits on Windows', 'Remove `limits`.', {});
	const prlimit = platform === 'linux' ? findPrlimit(environment) : undefined;
	if (prlimit === undefined) return limitedByShell(program, limits);
	const args = [
		...(memoryBytes === undefined ? [] : [`--data=${memoryBytes}`]),
		...(processes === undefined ? [] : [`--nproc=${processes}`]),
		...(openFiles === undefined ? [] : [`--nofile=${openFiles}`]),
	];
	return { ...program, file: prlimit, args: [...args, '--', program.file, ...program.args] };
}

/** Values are numbers and the program is an argument: nothing here is read as shell text. */
function limitedByShell(
	program: FoundProgram,
	{ memoryBytes, processes, openFiles }: ChildLimits,
): FoundProgram {
	const script = [
		...(memoryBytes === undefined ? [] : [`ulimit -d ${Math.ceil(memoryBytes / KILOBYTE)}`]),
		// dash calls it -p, other shells -u.
		...(processes === undefined ? [] : [`{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`]),
		...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
		'exec "$@"',
	].join(' && ');
	return { ...program, file: '/bin/sh', args: ['-c', script, 'sh', program.file, ...program.args] };
}

function findPrlimit(environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
	return attempt(() => findCommand('prlimit', '/', { PATH: environment['PATH'] ?? '/usr/bin:/bin' }));
}

const signs: readonly { name: keyof ChildLimits; text: RegExp }[] = [
	{
		name: 'memoryBytes',
		text: /out of memory|cannot allocate memory|allocation[ _]failed|bad_alloc|MemoryError|ENOMEM/i,
	},
	{ name: 'openFiles', text: /too many open files|EMFILE/i },
	{ name: 'processes', text: /resource temporarily unavailable|EAGAIN|can't start new thread/i },
];

/** The limit that a program probably ran into, by what it printed; undefined when nothing points to one. */
export function reachedLimit(limits: ChildLimits | undefined, lines: readonly string[]): string | undefined {
	const found = signs.find(
		({ name, text }) => limits?.[name] !== undefined && lines.some((line) => text.test(line)),
	);
	return found && `it reached its limit ${found.name} = ${limits?.[found.name]}`;
}
