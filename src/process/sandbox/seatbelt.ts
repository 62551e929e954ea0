/*
 * The command line of macOS `sandbox-exec` for a sandbox. Not verified: it was written
 * from the documentation of the profile language and never run on macOS.
 */
import { homedir } from 'node:os';
import type { FoundProgram, Sandbox } from './sandbox.ts';

const systemFolders = [
	'/usr',
	'/bin',
	'/sbin',
	'/System',
	'/Library',
	'/private/etc',
	'/dev',
	'/opt/homebrew',
];

/** The arguments of `sandbox-exec` for the program. */
export function seatbelted(
	{ file, args, cwd, env }: FoundProgram,
	{ write, read, network, protect }: Sandbox,
	environment: Readonly<NodeJS.ProcessEnv>,
): Omit<FoundProgram, 'file'> {
	const home = environment['HOME'] ?? homedir();
	const temporary = env['TMPDIR'] ?? '/private/tmp';
	const subpaths = (paths: readonly string[]): string =>
		paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ');
	const dotfiles = `(regex #"^${home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/\\.")`;
	const lines = [
		'(version 1)',
		'(allow default)',
		...(read.includes('/')
			? [`(deny file-read* ${dotfiles})`]
			: ['(deny file-read*)', `(allow file-read* ${subpaths([...systemFolders, ...read, file, cwd])})`]),
		'(deny file-write*)',
		`(allow file-read* file-write* ${subpaths([...write, temporary, '/dev'])})`,
		...(protect.length > 0 ? [`(deny file-write* ${subpaths(protect)})`] : []),
		...(network ? [] : ['(deny network*)']),
	];
	return { args: ['-p', lines.join('\n'), file, ...args], cwd, env };
}
