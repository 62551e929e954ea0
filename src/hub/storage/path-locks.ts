/*
 * One writer at a time for a path, in this process and among processes.
 *
 * Paths are spread over a fixed number of folders by a hash; each folder has one
 * lock and holds the unfinished file of whoever has it. So the number of locks is
 * bounded, and what a killed writer leaves behind is out of everybody's sight and
 * removed by the next one. Within the process writers queue up in order and do not
 * have to poll for the lock.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
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

	/** Run `work` when it is the path's turn. It may use the file `unfinished`, which is not there yet. */
	async take<T>(path: string, work: (unfinished: string) => Promise<T>): Promise<T> {
		if (this.#waiting >= WAITING_WRITES_LIMIT) throw tooMany();
		const shard = createHash('sha256').update(path).digest('hex').slice(0, 2);
		const before = this.#last.get(shard);
		const turn = this.#after(before, shard, work);
		this.#last.set(shard, turn);
		this.#waiting++;
		try {
			return await turn;
		} finally {
			this.#waiting--;
			if (this.#last.get(shard) === turn) this.#last.delete(shard);
		}
	}

	async #after<T>(
		before: Promise<unknown> | undefined,
		shard: string,
		work: (unfinished: string) => Promise<T>,
	): Promise<T> {
		// Whoever was before has told its own caller what went wrong.
		await before?.catch(() => {});
		const folder = join(this.#root, CONTROL_FOLDER, shard);
		await mkdir(folder, { recursive: true }).catch(rethrow);
		return withFolderLock(folder, async () => {
			await removeStaleFiles(folder);
			return work(join(folder, `${process.pid}.unfinished`));
		});
	}
}

function rethrow(error: unknown): never {
	throw ioError('cannot make the folder for locks', error);
}

async function removeStaleFiles(folder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true });
	}
}

function tooMany(): OrchestraError {
	return new OrchestraError('io', `${WAITING_WRITES_LIMIT} writes wait for the storage already`, {
		hint: 'Wait for the answers to earlier writes.',
		data: { code: 'storage_error' },
	});
}
