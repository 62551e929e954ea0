/*
 * What a sandboxed program may reach, and the command line that enforces it.
 *
 * Linux uses bubblewrap. macOS uses `sandbox-exec`, which is not verified here. On a
 * system without a sandbox the program does not start: it never runs unconfined.
 */
import { findCommand, spawnError } from '../find-command.ts';
import { bubblewrapped } from './bubblewrap.ts';
import { seatbelted } from './seatbelt.ts';

/** The files and networks that a program may reach. Paths are absolute. */
export interface Sandbox {
	/** Folders and files that it may change. A private temporary folder is always there. */
	readonly write: readonly string[];
	/** Folders and files that it may read; `/` is everything except the dotfiles of the home folder. */
	readonly read: readonly string[];
	readonly network: boolean;
	/** Files that it may not change, although they are inside `write`. */
	readonly protect: readonly string[];
}

/** A program that was found, with everything that starts it. */
export interface FoundProgram {
	/** Its absolute path. */
	readonly file: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	/** What the sandbox hides although the environment names it, for the log. */
	readonly warnings?: readonly string[] | undefined;
}

/** Where the sandbox is. */
export interface SandboxPlace {
	/** The environment of this process: the sandbox itself is never taken from that of the program. */
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly platform?: NodeJS.Platform | undefined;
}

/** The same program inside the sandbox. Throws `spawn` when this system has none. */
export function sandboxed(program: FoundProgram, sandbox: Sandbox, place: SandboxPlace): FoundProgram {
	const file = sandboxProgram(place);
	const isLinux = (place.platform ?? process.platform) === 'linux';
	const wrap = isLinux ? bubblewrapped : seatbelted;
	return { ...wrap(program, sandbox, place.environment), file };
}

/** The program that makes sandboxes on this system. Throws `spawn` with the way to install it. */
export function sandboxProgram({ environment, platform = process.platform }: SandboxPlace): string {
	const command = platform === 'linux' ? 'bwrap' : platform === 'darwin' ? 'sandbox-exec' : undefined;
	if (command === undefined) {
		throw spawnError(`there is no sandbox on ${platform}`, 'Remove `sandbox` to run it without one.', {});
	}
	try {
		return findCommand(command, '/', { PATH: environment['PATH'] ?? '/usr/bin:/bin' });
	} catch {
		throw spawnError(
			`it needs a sandbox, but ${command} is not installed`,
			command === 'bwrap'
				? 'Install bubblewrap: apt install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap.'
				: 'It is a part of macOS, in /usr/bin: add that folder to PATH.',
			{ command },
		);
	}
}
