/*
 * A lock file: mutual exclusion between processes in a folder.
 *
 * Only one process can create the file; it contains the pid of the owner. A stale
 * lock, whose owner is dead or which is older than any legitimate work, is renamed
 * away. The rename is atomic: of two processes that try, one fails.
 */
import { type FileHandle, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isCode, messageOf, OrchestraError } from '../errors.ts';
import { LOCK_RETRY_MS, LOCK_STALE_MS, LOCK_WAIT_MS } from './files-limits.ts';

const LOCK_NAME = '.lock';

/** Run `work` while this process holds the lock of the folder. Rejects with `timeout` when another process keeps it. */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
	const path = join(folder, LOCK_NAME);
	const endsAt = performance.now() + LOCK_WAIT_MS;
	while (!(await tryLock(path))) {
		await removeStale(path);
		if (performance.now() > endsAt) {
			throw new OrchestraError(
				'timeout',
				`the folder ${folder} was locked by another process for ${LOCK_WAIT_MS / 1000} s`,
				{
					hint: `If no other Orchestra process uses the folder, delete ${path}.`,
					data: { path },
				},
			);
		}
		await wait(LOCK_RETRY_MS);
	}
	try {
		return await work();
	} finally {
		await unlink(path).catch(() => {});
	}
}

async function tryLock(path: string): Promise<boolean> {
	let file: FileHandle;
	try {
		file = await open(path, 'wx', 0o600);
	} catch (error) {
		if (isCode(error, 'EEXIST')) return false;
		throw OrchestraError.from(error, 'io');
	}
	try {
		await file.writeFile(`${process.pid}\n`);
		return true;
	} catch (error) {
		// The disk is full: an empty lock would make others wait.
		await unlink(path).catch(() => {});
		throw new OrchestraError('io', `${path} cannot be written: ${messageOf(error)}`, { cause: error });
	} finally {
		await file.close();
	}
}

async function removeStale(path: string): Promise<void> {
	try {
		const owner = await readFile(path, 'utf8');
		const { mtimeMs } = await stat(path);
		const ageMs = Date.now() - mtimeMs;
		// A lock without a pid is being written now, or its writer died.
		const isDead = owner.trim() === '' ? ageMs > LOCK_RETRY_MS * 50 : !isAlive(Number(owner));
		if (!isDead && ageMs < LOCK_STALE_MS) return;
		const aside = `${path}.${process.pid}`;
		await rename(path, aside);
		const isSame = (await readFile(aside, 'utf8')) === owner;
		if (isSame) await unlink(aside);
		else await rename(aside, path);
	} catch (error) {
		// Another process was faster; retry.
		if (!isCode(error, 'ENOENT')) throw OrchestraError.from(error, 'io');
	}
}

/** Whether a process with this id exists, of whichever user. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return isCode(error, 'EPERM');
	}
}
