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
		checkPrivate(path);
		makeFolder(path);
		checkPrivate(path);
	}
	assertWritable(path);
	return path;
}

/** Throws `bad_input` when one of `parts` below `base` belongs to another user. */
export function assertPrivateFolder(base: string, ...parts: readonly string[]): void {
	let path = base;
	for (const part of parts) {
		path = join(path, part);
		checkPrivate(path);
	}
}

/** `~/.orchestra/<name>`, created if necessary. `~/.orchestra` itself may be a link. */
export function homeFolder(home: string, name: string): string {
	makeFolder(join(home, '.orchestra'));
	return makePrivateFolder(join(home, '.orchestra'), name);
}

/** The folder for sockets: `~/.orchestra/run`, or a folder in /tmp when that path is too long for a socket. */
export function socketFolder(home: string): string {
	const atHome = join(home, '.orchestra', 'run');
	const isShort = Buffer.byteLength(atHome) + 1 + SOCKET_NAME_BYTES <= SOCKET_PATH_BYTES;
	if (isShort) return homeFolder(home, 'run');
	return makePrivateFolder('/tmp', `orchestra-${process.getuid?.() ?? 'user'}`);
}

function checkPrivate(path: string): void {
	try {
		assertPrivate(path);
	} catch (thrown) {
		if (OrchestraError.is(thrown)) throw thrown;
		throw unusable(path, thrown);
	}
}

function makeFolder(path: string): void {
	try {
		makeFolders(path, 0o700);
	} catch (thrown) {
		throw unusable(path, thrown);
	}
}

function assertWritable(path: string): void {
	try {
		accessSync(path, constants.W_OK);
	} catch (thrown) {
		throw unusable(path, thrown);
	}
}

function unusable(path: string, cause: unknown): OrchestraError {
	return new OrchestraError('io', `the folder ${path} cannot be used: ${messageOf(cause)}`, {
		cause,
		hint: 'The hub keeps its state there. Make it writable, or name another place with XDG_STATE_HOME.',
		data: { path },
	});
}
