/*
 * The file of a Unix socket that we listen on.
 *
 * The server binds to a temporary name, sets mode 0600 and renames it to the public
 * name: no client can connect before, and the stale file of a dead process is
 * replaced atomically. The file of a process that still listens, or a file that is
 * not a socket, is never replaced.
 */
import { once } from 'node:events';
import { lstatSync, type Stats } from 'node:fs';
import { chmod, rename, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { messageOf, OrchestraError } from '../../errors.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { UNIX_CONNECT_MS } from '../link-limits.ts';
import { unixPath } from './unix-address.ts';

export interface SocketFile {
	/** Remove the file, unless another process has replaced it. Idempotent. */
	remove(): Promise<void>;
}

/** Make `server` listen at `unix:/path`. The folder must be private. Throws `io` when another process listens there. */
export async function listenOnSocketFile(server: Server, address: string): Promise<SocketFile> {
	const path = unixPath(address);
	if (process.platform === 'win32') {
		await listenAt(server, path);
		return { remove: async () => {} };
	}
	assertPrivate(dirname(path));
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found) await assertStale(path, found);
	const draft = `${path}.${process.pid.toString(36)}`;
	unixPath(`unix:${draft}`);
	await unlink(draft).catch(() => {});
	await listenAt(server, draft);
	await chmod(draft, 0o600);
	const { ino, dev } = lstatSync(draft);
	await rename(draft, path);
	return { remove: () => removeFile(path, { ino, dev }) };
}

async function listenAt(server: Server, path: string): Promise<void> {
	try {
		const listening = once(server, 'listening');
		server.listen(path);
		await listening;
	} catch (cause) {
		throw new OrchestraError('io', `cannot listen on the Unix socket ${path}: ${messageOf(cause)}`, {
			cause,
			hint: 'The folder must exist and be writable by you.',
			data: { path },
		});
	}
}

/** Throws unless the file is a socket on which no process listens. */
async function assertStale(path: string, found: Stats): Promise<void> {
	if (!found.isSocket()) {
		throw new OrchestraError('bad_input', `${path} exists and is not a socket`, {
			hint: 'Remove it, or choose another path.',
			data: { path },
		});
	}
	if (!(await hasListener(path))) return;
	throw new OrchestraError('io', `another process listens on the Unix socket ${path}`, {
		hint: 'Is another hub running there? Choose another path.',
		data: { path },
	});
}

/** True when a process listens on the socket at `path`; a listener that neither accepts nor refuses counts. */
export function hasListener(path: string): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(path);
		const settle = (isTaken: boolean) => (): void => {
			socket.destroy();
			resolve(isTaken);
		};
		socket.once('connect', settle(true));
		socket.once('error', settle(false));
		// A stopped process with a full backlog neither accepts nor refuses, but it is alive.
		socket.setTimeout(UNIX_CONNECT_MS, settle(true));
	});
}

async function removeFile(path: string, file: { ino: number; dev: number }): Promise<void> {
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found?.ino !== file.ino || found.dev !== file.dev) return;
	await unlink(path).catch(() => {}); // another process removed it first
}
