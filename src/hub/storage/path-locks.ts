/*
 * Per-path locks for writers, within this process and between processes.
 *
 * Paths are sharded by a hash over a fixed number of folders. Each folder has one lock
 * and holds the temporary file of its holder, so the number of locks is bounded, and the
 * file of a killed writer is not visible and is removed by the next writer. Writers of
 * the same process queue in order and do not poll for the lock.
 */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { sha256 } from '../../files/sha256.ts';
import { ioError } from './inside-root.ts';
import { WAITING_WRITES_LIMIT } from './storage-limits.ts';
import { CONTROL_FOLDER } from './storage-path.ts';

const UNFINISHED = /\.unfinished$/;

export class PathLocks {
	readonly #root: string;
	readonly #last = new Map<string, Promise<unknown>>();
	#waiting = 0;

	constructor(root: string) {
		this.#root = root;
	}

	/** Run `work` under the lock of the path. It may create the temporary file `unfinished`. */
	async run<T>(path: string, work: (unfinished: string) => Promise<T>): Promise<T> {
		if (this.#waiting >= WAITING_WRITES_LIMIT) throw tooMany();
		const shard = sha256(path).slice(0, 2);
		const previous = this.#last.get(shard);
		const running = this.#after(previous, shard, work);
		this.#last.set(shard, running);
		this.#waiting++;
		try {
			return await running;
		} finally {
			this.#waiting--;
			if (this.#last.get(shard) === running) this.#last.delete(shard);
		}
	}

	async #after<T>(
		previous: Promise<unknown> | undefined,
		shard: string,
		work: (unfinished: string) => Promise<T>,
	): Promise<T> {
		// The previous writer reported its error to its own caller.
		await previous?.catch(() => {});
		const folder = join(this.#root, CONTROL_FOLDER, shard);
		try {
			makeFolders(folder);
		} catch (error) {
			throw ioError('cannot make the folder for locks', error);
		}
		return withFolderLock(folder, async () => {
			await removeStaleFiles(folder);
			return work(join(folder, `${process.pid}.unfinished`));
		});
	}
}

async function removeStaleFiles(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true });
	}
}

function tooMany(): OrchestraError {
	return new OrchestraError('io', `${WAITING_WRITES_LIMIT} writes are already waiting for the storage`, {
		hint: 'Wait for earlier writes to finish.',
		data: { code: 'storage_error' },
	});
}
