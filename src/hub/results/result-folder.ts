/*
 * The results in one folder, bounded in number, bytes and age; the oldest go first.
 *
 * A folder that stays may be used by several hubs at once: each counts what it found at first and
 * what it wrote itself, and finds the files of the others by their names.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { namesIn } from '../../files/names-in.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { FACT_CHARACTERS, STORED_BYTES, STORED_MS, STORED_RESULTS_LIMIT } from './result-limits.ts';
import {
	newHandle,
	type ResultFacts,
	readResultFile,
	type SentForm,
	type StoredResult,
} from './stored-result.ts';

export interface ResultFolderOptions {
	readonly path: string;
	/** Called once, before the folder is made. */
	readonly prepare: () => void;
	/** False for a folder that is removed by `close`. */
	readonly stays: boolean;
	/** Default `STORED_BYTES`. */
	readonly storedBytes?: number;
	/** The time in milliseconds since 1970. Default: the clock of the system. */
	readonly now?: () => number;
}

/** What is stored of a result. */
export interface StoredDocument extends Pick<ResultFacts, 'mimeType' | 'isText'> {
	readonly content: Buffer;
	/** Its handle, where that is in the short form already. */
	readonly handle?: string;
	readonly sent?: SentForm;
}

/** A document with the tool and the client of its call. */
export type ResultDocument = StoredDocument & Pick<ResultFacts, 'tool' | 'client'>;

export class ResultFolder {
	readonly #options: ResultFolderOptions;
	readonly #now: () => number;
	/** Keyed by handle, oldest first. */
	readonly #stored = new Map<string, StoredResult>();
	#opened: Promise<void> | undefined;
	#isMade = false;
	#bytes = 0;
	/** The timer for the expiry of the oldest result. */
	#timer: NodeJS.Timeout | undefined;

	constructor(options: ResultFolderOptions) {
		this.#options = options;
		this.#now = options.now ?? Date.now;
	}

	/** Write a result and return its handle. Rejects with the error of the system. */
	async add(document: ResultDocument, owner: string): Promise<string> {
		await this.#ready();
		const { content, sent, handle = newHandle(), ...about } = document;
		const short = Buffer.from(sent === undefined ? '' : JSON.stringify(sent));
		const path = join(this.#options.path, handle);
		const names = {
			tool: about.tool.slice(0, FACT_CHARACTERS),
			client: about.client.slice(0, FACT_CHARACTERS),
		};
		const sizes = { bytes: content.length, sentBytes: short.length };
		const facts: ResultFacts = { ...about, ...names, ...sizes, owner, at: this.#now() };
		const header = Buffer.from(`${JSON.stringify(facts)}\n`);
		try {
			await writeFile(path, Buffer.concat([header, short, content]), { mode: 0o600, flag: 'wx' });
		} catch (error) {
			// A full disk has a part of it; a folder that was removed is made again for the next one.
			this.#opened = undefined;
			await rm(path, { force: true });
			throw error;
		}
		this.#add({ ...facts, handle, path, from: header.length + short.length, isPinned: false });
		this.#removeOldest(handle);
		return handle;
	}

	/** The result of a handle, when it is this owner's and not too old. The file is read: a user may have removed it. */
	async find(handle: string, owner: string): Promise<StoredResult | undefined> {
		const { path, stays } = this.#options;
		if (!stays && !this.#stored.has(handle)) return undefined;
		const found = await readResultFile(join(path, handle));
		return found?.owner === owner && this.#now() - found.at < STORED_MS ? found : undefined;
	}

	/** Remove the results of these owners, those from before a restart too. */
	async drop(isDropped: (owner: string) => boolean): Promise<void> {
		const { path, stays } = this.#options;
		// Without a folder nothing was stored.
		if (this.#opened === undefined && !(stays && existsSync(path))) return;
		await this.#ready();
		for (const [handle, result] of this.#stored) if (isDropped(result.owner)) this.#remove(handle, result);
	}

	async close(): Promise<void> {
		await this.#opened?.catch(() => {});
		clearTimeout(this.#timer);
		this.#stored.clear();
		const { path, stays } = this.#options;
		if (this.#isMade && !stays) await rm(path, { recursive: true, force: true });
	}

	/** The folder is there. When it cannot be made now, the next call tries again. */
	#ready(): Promise<void> {
		this.#opened ??= this.#open().catch((error: unknown) => {
			this.#opened = undefined;
			throw error;
		});
		return this.#opened;
	}

	/** Find the results that an earlier hub left. */
	async #open(): Promise<void> {
		const { path, prepare } = this.#options;
		prepare();
		makeFolders(path, 0o700);
		assertPrivate(path);
		this.#isMade = true;
		const found = await storedIn(path);
		this.#stored.clear();
		this.#bytes = 0;
		for (const result of found.sort((a, b) => a.at - b.at)) this.#add(result);
		this.#removeOldest('');
	}

	#add(result: StoredResult): void {
		if (this.#stored.has(result.handle)) return;
		this.#stored.set(result.handle, result);
		this.#bytes += sizeOf(result);
	}

	/** The newest one stays in any case. */
	#removeOldest(newest: string): void {
		const { storedBytes = STORED_BYTES } = this.#options;
		const now = this.#now();
		for (const [handle, result] of this.#stored) {
			const fits = this.#bytes <= storedBytes && this.#stored.size <= STORED_RESULTS_LIMIT;
			if ((fits && now - result.at < STORED_MS) || handle === newest) break;
			this.#remove(handle, result);
		}
		clearTimeout(this.#timer);
		const [oldest] = this.#stored.values();
		if (oldest)
			this.#timer = setTimeout(() => this.#removeOldest(''), oldest.at + STORED_MS - this.#now()).unref();
	}

	#remove(handle: string, result: StoredResult): void {
		this.#stored.delete(handle);
		this.#bytes -= sizeOf(result);
		// A folder that ends with the process is removed at the end; in one that stays, age removes it.
		rm(result.path, { force: true }).catch(() => {});
	}
}

function sizeOf({ bytes, sentBytes = 0 }: StoredResult): number {
	return bytes + sentBytes;
}

/** The results in a folder. */
export async function storedIn(folder: string): Promise<StoredResult[]> {
	const found = await Promise.all(namesIn(folder).map((name) => readResultFile(join(folder, name))));
	return found.filter((result) => result !== undefined);
}
