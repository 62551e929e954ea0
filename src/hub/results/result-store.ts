/*
 * Results on disk: one file each, with a line of JSON about it before its content.
 *
 * A hub has a folder for the results of its sessions. That of a process ends with it: it is removed
 * when the hub closes, and when the next one is made after a crash. That of a shared hub stays,
 * because its bridges resume their sessions after a restart. Modern clients over HTTP have no
 * session: their results are in a folder of all hubs of this user that stays until their age ends.
 * A result that a user pins moves to the folder `kept`, out of all bounds.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { namesIn } from '../../files/names-in.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { sha256 } from '../../files/sha256.ts';
import { stateFolder } from '../../files/state-folder.ts';
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { identityOf, isSameProcess } from '../shared/process-identity.ts';
import { type ResultDocument, ResultFolder, type ResultFolderOptions, storedIn } from './result-folder.ts';
import { STORED_MS } from './result-limits.ts';
import { isHandle, PINNED, readResultFile, type StoredResult } from './stored-result.ts';

/** The client that made the call. */
export interface Caller extends Pick<ClientConnection, 'principal' | 'sessionId'> {
	readonly revision: Pick<Revision, 'era'>;
}

export interface ResultStoreOptions extends Pick<ResultFolderOptions, 'storedBytes' | 'now'> {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** The name of the folder that stays when the hub closes. Default: the folder ends with the process. */
	readonly lasting?: string | undefined;
}

/** The folder of the results of modern clients over HTTP. */
const SENDERS = 'http';

export class ResultStore {
	readonly #base: string;
	readonly #sessions: ResultFolder;
	readonly #senders: ResultFolder;

	constructor({ environment, lasting, ...bounds }: ResultStoreOptions) {
		this.#base = resultsFolder(environment);
		const prepare = (): void => prepareBase(this.#base, bounds.now?.() ?? Date.now());
		const name = lasting ?? `${process.pid}-${identityOf(process.pid)?.startTime ?? '0'}-${randomUUID()}`;
		const path = join(this.#base, name);
		this.#sessions = new ResultFolder({ ...bounds, path, prepare, stays: lasting !== undefined });
		this.#senders = new ResultFolder({ ...bounds, path: join(this.#base, SENDERS), prepare, stays: true });
	}

	/** Write a document and return its handle. Rejects with the error of the system. */
	add(document: ResultDocument, caller: Caller): Promise<string> {
		return this.#folderOf(caller).add(document, ownerOf(caller));
	}

	/** The result of a handle, for the caller that it belongs to; one that a user pinned, for any. */
	async find(handle: string, caller: Caller): Promise<StoredResult | undefined> {
		if (!isHandle(handle)) return undefined;
		const pinned = await readResultFile(join(this.#base, PINNED, handle));
		return pinned ?? this.#folderOf(caller).find(handle, ownerOf(caller));
	}

	endSession(sessionId: string): Promise<void> {
		const owner = ownerOfSession(sessionId);
		return this.#sessions.drop((each) => each === owner);
	}

	/** Remove the results of all sessions but these. */
	endOthers(left: ReadonlySet<string>): Promise<void> {
		const owners = new Set([...left].map(ownerOfSession));
		return this.#sessions.drop((each) => !owners.has(each));
	}

	/** Remove what ends with the process. */
	async close(): Promise<void> {
		await Promise.all([this.#sessions.close(), this.#senders.close()]);
	}

	#folderOf(caller: Caller): ResultFolder {
		return isSender(caller) ? this.#senders : this.#sessions;
	}
}

/** The folder of all results, without those of processes that ended, and of other hubs that are too old. */
function prepareBase(base: string, now: number): void {
	makeFolders(base, 0o700);
	assertPrivate(base);
	for (const name of readdirSync(base)) {
		const path = join(base, name);
		if (isLeftOver(name)) rmSync(path, { recursive: true, force: true });
		else if (name !== PINNED)
			for (const file of namesIn(path))
				if (isOld(join(path, file), now)) rmSync(join(path, file), { force: true });
	}
}

/** True for an expired file, also for a partial one of a hub that was killed while it wrote. */
function isOld(path: string, now: number): boolean {
	const found = statSync(path, { throwIfNoEntry: false });
	return found !== undefined && now - found.mtimeMs >= STORED_MS;
}

/** Where the results of all hubs of this user are. */
function resultsFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	return join(stateFolder(environment), 'results');
}

/** Every stored result of this user, newest first. */
export async function allStored(environment: Readonly<NodeJS.ProcessEnv>): Promise<StoredResult[]> {
	const base = resultsFolder(environment);
	const found = await Promise.all(namesIn(base).map((name) => storedIn(join(base, name))));
	return found.flat().sort((a, b) => b.at - a.at);
}

/** Move a result out of all bounds. */
export async function pinResult(
	{ path, handle }: StoredResult,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<void> {
	const folder = join(resultsFolder(environment), PINNED);
	makeFolders(folder, 0o700);
	assertPrivate(folder);
	await rename(path, join(folder, handle));
}

/** Who may read the results of a call: its session, or the sender of a request that has none. */
function ownerOf(caller: Caller): string {
	return isSender(caller) ? hashOf(`principal ${caller.principal}`) : ownerOfSession(caller.sessionId);
}

function ownerOfSession(sessionId: string): string {
	return hashOf(`session ${sessionId}`);
}

/** A modern client over HTTP: its results belong to its token until their age ends. */
function isSender({ revision, principal }: Caller): boolean {
	return revision.era === 'modern' && principal !== undefined;
}

/** Neither the files nor their readers have the id of a session. */
function hashOf(owner: string): string {
	return sha256(owner).slice(0, 32);
}

function isLeftOver(name: string): boolean {
	const [, pid, startTime] = /^(\d+)-(.+?)-[\da-f-]{36}$/.exec(name) ?? [];
	return pid !== undefined && !isSameProcess({ pid: Number(pid), startTime: startTime ?? '' });
}
