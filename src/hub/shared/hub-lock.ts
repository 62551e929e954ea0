/*
 * The lock of a shared hub: a bound socket, which the system releases whenever the
 * process ends. Deleting files does not release it.
 *
 * On Linux its name is in the abstract namespace, so there is no file; on Windows it is
 * a named pipe. Elsewhere it is a socket file below `~/.orchestra`, outside the state
 * folder; the stale file of a killed hub refuses connections and is replaced. No data is
 * exchanged over the socket.
 */
import { readdirSync, readFileSync, readlinkSync, statSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { hasListener } from '../../link/tls/unix-socket-file.ts';
import { socketFolder } from './private-folder.ts';
import { identityOf, type ProcessIdentity } from './process-identity.ts';
import { ABSTRACT_NAME_BYTES } from './shared-limits.ts';

export interface HubLock {
	/** Release it. Idempotent. */
	release(): void;
}

/** A lock that is always free, where none can be taken. */
export const noLock: HubLock = { release: () => {} };

/** Take the lock called `name` (letters, digits and dashes). Undefined when another process holds it. */
export async function takeHubLock(
	name: string,
	home: string,
	platform: NodeJS.Platform = process.platform,
): Promise<HubLock | undefined> {
	if (platform === 'win32') return bind(`\\\\.\\pipe\\${name}`);
	if (platform !== 'linux') return takeSocketFile(name, home);
	// A sandbox may forbid abstract names.
	return bind(`\0${abstractName(name)}`).catch(() => takeSocketFile(name, home));
}

function takeSocketFile(name: string, home: string): Promise<HubLock | undefined> {
	const folder = socketFolder(home);
	const path = join(folder, `${name}.lock`);
	// Probing a stale file and replacing it must be atomic.
	return withFolderLock(folder, async () => {
		const lock = await bind(path);
		if (lock !== undefined || (await hasListener(path))) return lock;
		unlinkSync(path);
		return bind(path);
	});
}

/** The process of this user that holds the lock, found through /proc. Undefined when there is none, and on other systems. */
export function lockHolder(name: string): ProcessIdentity | undefined {
	if (process.platform !== 'linux') return undefined;
	const sockets = socketsNamed(name);
	if (sockets.size === 0) return undefined;
	const holder = readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && holdsOneOf(pid, sockets));
	return holder === undefined ? undefined : identityOf(Number(holder));
}

/** True when a process of any user holds the lock. Always false outside of Linux. */
export function isLockHeld(name: string): boolean {
	return process.platform === 'linux' && socketsNamed(name).size > 0;
}

function abstractName(name: string): string {
	return name.padEnd(ABSTRACT_NAME_BYTES, '-');
}

function bind(path: string): Promise<HubLock | undefined> {
	return new Promise((resolve, reject) => {
		const server: Server = createServer((socket) => socket.destroy());
		server.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EADDRINUSE') resolve(undefined);
			else reject(error);
		});
		server.listen(path, () => {
			server.unref();
			resolve({ release: () => void server.close() });
		});
	});
}

/** The sockets in /proc that are bound to this abstract name. */
function socketsNamed(name: string): Set<string> {
	const ending = ` @${abstractName(name)}`;
	const ours = boundSockets().filter((line) => line.endsWith(ending));
	return new Set(ours.map((line) => `socket:[${line.trim().split(/\s+/)[6]}]`));
}

function boundSockets(): string[] {
	// /proc is missing or hidden.
	return attempt(() => readFileSync('/proc/net/unix', 'utf8').split('\n'), []);
}

function holdsOneOf(pid: string, sockets: ReadonlySet<string>): boolean {
	// The process may have just ended, or belong to another user.
	return attempt(() => {
		const folder = `/proc/${pid}/fd`;
		if (statSync(folder).uid !== process.getuid?.()) return false;
		return readdirSync(folder).some((descriptor) => sockets.has(linkAt(join(folder, descriptor))));
	}, false);
}

function linkAt(path: string): string {
	// It may have been closed just now.
	return attempt(() => readlinkSync(path), '');
}
