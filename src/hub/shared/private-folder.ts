/* Private folders: they decide which hub we connect to, so their owner and mode are checked. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OrchestraError } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { SOCKET_NAME_BYTES, SOCKET_PATH_BYTES } from './shared-limits.ts';

/** Create `parts` below `base`, each private. Throws `bad_input` when one belongs to another user, `io` when it cannot be created. */
export function makePrivateFolder(base: string, ...parts: readonly string[]): string {
	let path = base;
	for (const part of parts) {
		path = join(path, part);
		inFolder(path, (folder) => {
			assertPrivate(folder);
			makeFolders(folder, 0o700);
			assertPrivate(folder);
		});
	}
	inFolder(path, (folder) => accessSync(folder, constants.W_OK));
	return path;
}

/** Throws `bad_input` when one of `parts` below `base` belongs to another user. */
export function assertPrivateFolder(base: string, ...parts: readonly string[]): void {
	let path = base;
	for (const part of parts) {
		path = join(path, part);
		inFolder(path, (folder) => assertPrivate(folder));
	}
}

/** `~/.orchestra/<name>`, created if necessary. `~/.orchestra` itself may be a link. */
export function homeFolder(home: string, name: string): string {
	inFolder(join(home, '.orchestra'), (folder) => makeFolders(folder, 0o700));
	return makePrivateFolder(join(home, '.orchestra'), name);
}

/** The folder for sockets: `~/.orchestra/run`, or a folder in /tmp when that path is too long for a socket. */
export function socketFolder(home: string): string {
	const atHome = join(home, '.orchestra', 'run');
	const isShort = Buffer.byteLength(atHome) + 1 + SOCKET_NAME_BYTES <= SOCKET_PATH_BYTES;
	if (isShort) return homeFolder(home, 'run');
	return makePrivateFolder('/tmp', `orchestra-${process.getuid?.() ?? 'user'}`);
}

/** Errors of the system say that the folder cannot be used; others pass. */
function inFolder(path: string, work: (path: string) => void): void {
	try {
		work(path);
	} catch (cause) {
		if (OrchestraError.is(cause)) throw cause;
		throw new OrchestraError('io', `the folder ${path} cannot be used: ${messageOf(cause)}`, {
			cause,
			hint: 'The hub stores its state there. Make it writable, or name another place with XDG_STATE_HOME.',
			data: { path },
		});
	}
}
