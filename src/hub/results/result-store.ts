/*
 * Results on disk: one file each, with a line of JSON about it before its content.
 *
 * A hub has a folder of its own. That of a process ends with it: it is removed when the hub closes,
 * and when the next one is made after a crash. That of a shared hub stays, because its bridges keep
 * their sessions over a restart. Number, bytes and age are bounded, the oldest go first; the files
 * of a session are removed with it. A result that a user keeps moves to the folder `kept`, out of
 * all these bounds.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { sha256 } from '../../files/sha256.ts';
import { stateFolder } from '../../files/state-folder.ts';
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { identityOf, isSameProcess } from '../shared/process-identity.ts';
import { isHandle, type KeptResult, PINNED, type ResultFacts, readKept } from './kept-result.ts';
import { KEPT_BYTES, KEPT_MS, KEPT_RESULTS } from './result-limits.ts';

/** A document to keep. */
export interface ResultDocument extends Pick<ResultFacts, 'mimeType' | 'isText' | 'tool' | 'client'> {
	readonly content: Buffer;
}

/** Whose call it is. */
export interface Caller extends Pick<ClientConnection, 'principal' | 'sessionId'> {
	readonly revision: Pick<Revision, 'era'>;
}

export interface ResultStoreOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** The name of the folder that stays when the hub closes. Default: the folder ends with the process. */
	readonly lasting?: string | undefined;
	/** Default `KEPT_BYTES`. */
	readonly keptBytes?: number;
	/** In milliseconds since 1970. Default: the clock of the system. */
	readonly now?: () => number;
}

export class ResultStore {
	readonly #options: ResultStoreOptions;
	readonly #base: string;
	readonly #now: () => number;
	/** By handle, oldest first. */
	readonly #kept = new Map<string, KeptResult>();
	#folder: Promise<string> | undefined;
	#bytes = 0;

	constructor(options: ResultStoreOptions) {
		this.#options = options;
		this.#base = resultsFolder(options.environment);
		this.#now = options.now ?? Date.now;
	}

	/** Write a document and return its handle. Rejects with the error of the system. */
	async keep({ content, ...about }: ResultDocument, caller: Caller): Promise<string> {
		const folder = await (this.#folder ??= this.#open());
		const handle = `r-${randomBytes(12).toString('hex')}`;
		const path = join(folder, handle);
		const facts: ResultFacts = {
			...about,
			at: this.#now(),
			bytes: content.length,
			owner: ownerOf(caller),
		};
		const header = Buffer.from(`${JSON.stringify(facts)}\n`);
		await writeFile(path, Buffer.concat([header, content]), { mode: 0o600, flag: 'wx' });
		this.#add({ ...facts, handle, path, from: header.length, isPinned: false });
		this.#removeOldest(handle);
		return handle;
	}

	/** The result of a handle, for the caller that it belongs to; one that a user keeps, for any. */
	async find(handle: string, caller: Caller): Promise<KeptResult | undefined> {
		if (!isHandle(handle)) return undefined;
		if (this.#options.lasting !== undefined) await (this.#folder ??= this.#open());
		const found = this.#kept.get(handle);
		const pinned = await readKept(join(this.#base, PINNED, handle));
		if (pinned) return pinned;
		const isTheirs = found?.owner === ownerOf(caller) && this.#now() - found.at < KEPT_MS;
		// A user may have removed it.
		return isTheirs ? readKept(found.path) : undefined;
	}

	endSession(sessionId: string): void {
		const owner = hashOf(`session ${sessionId}`);
		for (const [handle, result] of this.#kept) if (result.owner === owner) this.#remove(handle, result);
	}

	/** Remove the folder, unless it stays. */
	async close(): Promise<void> {
		this.#kept.clear();
		// Without a folder nothing was kept.
		const folder = await this.#folder?.catch(() => undefined);
		if (folder !== undefined && this.#options.lasting === undefined)
			await rm(folder, { recursive: true, force: true });
	}

	/** The folder; what a hub before this one left in it is known again. */
	async #open(): Promise<string> {
		const { lasting } = this.#options;
		makeFolders(this.#base, 0o700);
		assertPrivate(this.#base);
		for (const name of readdirSync(this.#base))
			if (isLeftOver(name)) rmSync(join(this.#base, name), { recursive: true });
		const own = lasting ?? `${process.pid}-${identityOf(process.pid)?.startTime ?? '0'}-${randomUUID()}`;
		const folder = join(this.#base, own);
		if (lasting === undefined) mkdirSync(folder, { mode: 0o700 });
		else makeFolders(folder, 0o700);
		assertPrivate(folder);
		const found = await keptIn(folder);
		for (const result of found.sort((a, b) => a.at - b.at)) this.#add(result);
		this.#removeOldest('');
		return folder;
	}

	#add(result: KeptResult): void {
		this.#kept.set(result.handle, result);
		this.#bytes += result.bytes;
	}

	/** The newest one is kept in any case. */
	#removeOldest(newest: string): void {
		const { keptBytes = KEPT_BYTES } = this.#options;
		const now = this.#now();
		for (const [handle, result] of this.#kept) {
			const fits = this.#bytes <= keptBytes && this.#kept.size <= KEPT_RESULTS;
			if ((fits && now - result.at < KEPT_MS) || handle === newest) return;
			this.#remove(handle, result);
		}
	}

	#remove(handle: string, { path, bytes }: KeptResult): void {
		this.#kept.delete(handle);
		this.#bytes -= bytes;
		// A folder that ends with the process is removed at the end; in one that stays, age removes it.
		rm(path, { force: true }).catch(() => {});
	}
}

/** Where the results of all hubs of this user are. */
function resultsFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	return join(stateFolder(environment), 'results');
}

/** Every kept result of this user, newest first. */
export async function allKept(environment: Readonly<NodeJS.ProcessEnv>): Promise<KeptResult[]> {
	const base = resultsFolder(environment);
	const found = await Promise.all(namesIn(base).map((name) => keptIn(join(base, name))));
	return found.flat().sort((a, b) => b.at - a.at);
}

/** Move a result out of all bounds. */
export async function pinResult(
	{ path, handle }: KeptResult,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<void> {
	const folder = join(resultsFolder(environment), PINNED);
	makeFolders(folder, 0o700);
	assertPrivate(folder);
	await rename(path, join(folder, handle));
}

async function keptIn(folder: string): Promise<KeptResult[]> {
	const found = await Promise.all(namesIn(folder).map((name) => readKept(join(folder, name))));
	return found.filter((result) => result !== undefined);
}

/** The names in a folder; none when it does not exist. */
function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/**
 * Who may read the results of a call: its session. A modern client over HTTP has none, so the results are those of the
 * sender until their age ends.
 */
function ownerOf({ revision, principal, sessionId }: Caller): string {
	const isSender = revision.era === 'modern' && principal !== undefined;
	return hashOf(isSender ? `principal ${principal}` : `session ${sessionId}`);
}

/** Neither the files nor their readers tell the id of a session. */
function hashOf(owner: string): string {
	return sha256(owner).slice(0, 32);
}

function isLeftOver(name: string): boolean {
	const [, pid, startTime] = /^(\d+)-(.+?)-[\da-f-]{36}$/.exec(name) ?? [];
	return pid !== undefined && !isSameProcess({ pid: Number(pid), startTime: startTime ?? '' });
}
