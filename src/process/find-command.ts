/*
 * Resolve the program before it is started, as the system would: a name on PATH, a
 * path from the working directory. This turns a bare ENOENT into an error with the
 * command and the reason. Synchronous, because a few stat calls are faster than the
 * thread pool.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { attempt, OrchestraError } from '../errors.ts';

/** The absolute path of `command`. Throws `spawn`; `data.path` is the searched PATH, which a model must not see. */
export function findCommand(
	command: string,
	cwd: string,
	environment: Readonly<Record<string, string>>,
): string {
	if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
		throw spawnError(`the working directory ${cwd} does not exist`, 'Correct `cwd`, or create the folder.', {
			cwd,
		});
	}
	const endings =
		process.platform === 'win32' ? ['', ...(environment['PATHEXT'] ?? '.EXE').split(';')] : [''];
	if (isAbsolute(command) || /[/\\]/.test(command))
		return findByPath(resolve(cwd, command), command, endings);
	const path = environment['PATH'] ?? '';
	for (const folder of path.split(delimiter)) {
		const file = runnable(resolve(cwd, join(folder, command)), endings);
		if (file !== undefined) return file;
	}
	throw spawnError(
		`command "${command}" was not found on PATH`,
		`Install ${command}, or give the full path of the program.`,
		{ command, path },
	);
}

/** The error `failed to spawn process: …`. */
export function spawnError(reason: string, hint: string, data: Record<string, unknown>): OrchestraError {
	const message = `failed to spawn process: ${reason}`;
	return new OrchestraError('spawn', message, { hint, data: { ...data, reasonText: reason } });
}

function findByPath(file: string, command: string, endings: string[]): string {
	const found = runnable(file, endings);
	if (found !== undefined) return found;
	const status = statSync(file, { throwIfNoEntry: false });
	const reason =
		status === undefined ? 'does not exist' : status.isFile() ? 'is not executable' : 'is not a file';
	const hint =
		reason === 'is not executable'
			? `Run: chmod +x ${file}. A script also needs a \`#!\` line.`
			: 'Check the path of the program.';
	throw spawnError(`${file} ${reason}`, hint, { command });
}

function runnable(file: string, endings: string[]): string | undefined {
	return endings.map((ending) => file + ending).find(isRunnable);
}

function isRunnable(file: string): boolean {
	// A folder on PATH may be unreadable, and a file without the x bit.
	return attempt(() => {
		if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
		accessSync(file, constants.X_OK);
		return true;
	}, false);
}
