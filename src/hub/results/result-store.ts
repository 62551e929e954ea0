/*
 * Large results on disk: one file each, in a folder of this process.
 *
 * The folder is removed when the hub closes; folders of processes that died are removed
 * when the next one is made. The number and the total size of the files are bounded:
 * the oldest go first. The files of a session are removed with it.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { identityOf, isSameProcess } from '../shared/process-identity.ts';

/** Most bytes of all kept results. */
export const KEPT_BYTES: number = 256 * 1024 * 1024;
/** Most kept results. */
export const KEPT_RESULTS = 1000;

/** One kept document. */
export interface KeptResult {
	readonly path: string;
	readonly bytes: number;
	readonly mimeType: string;
	/** Text, or bytes that clients get in base64. */
	readonly isText: boolean;
	readonly sessionId: string;
}

/** A document to keep. */
export interface ResultDocument {
	readonly content: Buffer;
	readonly mimeType: string;
	readonly isText: boolean;
}

export class ResultStore {
	readonly #environment: Readonly<NodeJS.ProcessEnv>;
	readonly #keptBytes: number;
	/** By id, oldest first. */
	readonly #kept = new Map<string, KeptResult>();
	#folder: string | undefined;
	#bytes = 0;

	constructor(environment: Readonly<NodeJS.ProcessEnv>, keptBytes: number = KEPT_BYTES) {
		this.#environment = environment;
		this.#keptBytes = keptBytes;
	}

	/** Write a document and return its id. Rejects with the error of the system. */
	async keep({ content, mimeType, isText }: ResultDocument, sessionId: string): Promise<string> {
		this.#folder ??= makeFolder(this.#environment);
		const id = randomUUID();
		const path = join(this.#folder, id);
		await writeFile(path, content, { mode: 0o600, flag: 'wx' });
		this.#kept.set(id, { path, bytes: content.length, mimeType, isText, sessionId });
		this.#bytes += content.length;
		this.#removeOldest(id);
		return id;
	}

	find(id: string): KeptResult | undefined {
		return this.#kept.get(id);
	}

	endSession(sessionId: string): void {
		for (const [id, result] of this.#kept) if (result.sessionId === sessionId) this.#remove(id, result);
	}

	async close(): Promise<void> {
		this.#kept.clear();
		if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
	}

	/** The newest one is kept in any case. */
	#removeOldest(newest: string): void {
		for (const [id, result] of this.#kept) {
			const fits = this.#bytes <= this.#keptBytes && this.#kept.size <= KEPT_RESULTS;
			if (fits || id === newest) return;
			this.#remove(id, result);
		}
	}

	#remove(id: string, { path, bytes }: KeptResult): void {
		this.#kept.delete(id);
		this.#bytes -= bytes;
		// The whole folder is removed at the end.
		rm(path, { force: true }).catch(() => {});
	}
}

/** A folder for this process, `<pid>-<start time>`. */
function makeFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	const base = join(stateFolder(environment), 'results');
	makeFolders(base, 0o700);
	assertPrivate(base);
	for (const name of readdirSync(base)) if (isLeftOver(name)) rmSync(join(base, name), { recursive: true });
	const own = join(base, `${process.pid}-${identityOf(process.pid)?.startTime ?? '0'}-${randomUUID()}`);
	mkdirSync(own, { mode: 0o700 });
	return own;
}

function isLeftOver(name: string): boolean {
	const [, pid, startTime] = /^(\d+)-(.+?)-[\da-f-]{36}$/.exec(name) ?? [];
	return pid !== undefined && !isSameProcess({ pid: Number(pid), startTime: startTime ?? '' });
}
