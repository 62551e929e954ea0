/*
 * The file of a Unix socket that we listen on.
 *
 * The server binds to a name of its own, gets mode 0600 there, and is then renamed to
 * the name that clients know: nobody can connect to it before, and what a dead process
 * left behind is replaced without a moment in which there is none. The file of a
 * process that still listens, or anything that is no socket, is never replaced.
 */
import { lstatSync, type Stats } from 'node:fs';
import { chmod, rename, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { messageOf, OrchestraError } from '../../errors.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { unixPath } from './unix-address.ts';

const ANSWER_MS = 1_000;

export interface SocketFile {
	/** Remove the file, unless another process has put its own there. Idempotent. */
	remove(): Promise<void>;
}

/** Make `server` listen at `unix:/path`. The folder must be ours alone. Throws `io` when another process listens there. */
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
	return { remove: () => removeOwn(path, { ino, dev }) };
}

async function listenAt(server: Server, path: string): Promise<void> {
	try {
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject);
			server.listen(path, () => {
				server.off('error', reject);
				resolve();
			});
		});
	} catch (cause) {
		throw new OrchestraError('io', `cannot listen on the Unix socket ${path}: ${messageOf(cause)}`, {
			cause,
			hint: 'The folder must exist and be yours.',
			data: { path },
		});
	}
}

/** A socket that nobody listens on may be replaced. */
async function assertStale(path: string, found: Stats): Promise<void> {
	if (!found.isSocket()) {
		throw new OrchestraError('bad_input', `${path} is there already, and it is no socket`, {
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
		// A stopped process with a full backlog neither accepts nor refuses: it is there.
		socket.setTimeout(ANSWER_MS, settle(true));
	});
}

async function removeOwn(path: string, own: { ino: number; dev: number }): Promise<void> {
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found?.ino !== own.ino || found.dev !== own.dev) return;
	await unlink(path).catch(() => {}); // somebody else was faster
}
