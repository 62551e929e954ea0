/*
 * The credentials on disk: one folder per account below `$XDG_STATE_HOME/orchestra/auth`,
 * with one file and one lock.
 *
 * Folders have mode 0700 and files 0600, whatever the umask says; wider modes are
 * repaired with a warning. A write replaces the whole file, so a reader sees the old
 * record or the new one. The lock is per account: a slow authorization server delays
 * only its own clients.
 *
 * Earlier versions had one account for each URL. Their record is moved to one account by
 * a rename, under the locks of both: it is never in two places.
 */
import { chmodSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCode, messageOf, OrchestraError } from '../errors.ts';
import { withFolderLock } from '../files/folder-lock.ts';
import { makeFolders } from '../files/make-folders.ts';
import { assertPrivate, makePrivate } from '../files/private-path.ts';
import { readRegularText } from '../files/regular-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { sha256 } from '../files/sha256.ts';
import { stateFolder } from '../files/state-folder.ts';
import type { Log } from '../log.ts';
import type { Account } from './account.ts';
import { CREDENTIALS_LIMIT_BYTES, LOCK_ROUNDS } from './auth-limits.ts';
import { type Credentials, decodeCredentials, encodeCredentials } from './credentials.ts';

const FILE = 'credentials.json';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const KEY_CHARACTERS = 16;

export class CredentialStore {
	readonly #folder: string;
	readonly #log: Log;

	/** @param folder created with the first write */
	constructor(folder: string, log: Log) {
		this.#folder = folder;
		this.#log = log;
	}

	/** The store of this user. */
	static ofUser(environment: Readonly<NodeJS.ProcessEnv>, log: Log): CredentialStore {
		return new CredentialStore(join(stateFolder(environment), 'auth'), log);
	}

	/** The file of an account. */
	fileOf(account: Account): string {
		return join(this.#folderOf(account), FILE);
	}

	/** A text that changes whenever the record does; undefined when there is none. */
	versionOf(account: Account): string | undefined {
		const found = lstatSync(this.fileOf(account), { throwIfNoEntry: false });
		return found && `${found.ino}.${found.mtimeMs}.${found.size}`;
	}

	/** The record of an account; undefined when there is none or it is damaged. Throws `bad_input` when another user may have written it. */
	read(account: Account): Credentials | undefined {
		const found = this.#readFile(this.fileOf(account));
		return found?.url === account.url && (found.key ?? account.key) === account.key ? found : undefined;
	}

	/** Credentials that an earlier version stored for the URL, and that no account has taken over. */
	readEarlier(url: string): Credentials | undefined {
		const found = this.#readFile(join(this.#earlierFolderOf(url), FILE));
		return found?.url === url ? found : undefined;
	}

	/** Every record, also those of earlier versions, which have no `key`. */
	list(): Credentials[] {
		this.#makePrivate(this.#folder, FOLDER_MODE);
		return foldersIn(this.#folder).flatMap((name) => this.#readFile(join(this.#folder, name, FILE)) ?? []);
	}

	/** Replace the record of an account; undefined removes it. Call it inside `locked`. */
	write(account: Account, credentials: Credentials | undefined): void {
		const file = this.fileOf(account);
		const { key, entry } = account;
		try {
			if (credentials === undefined) rmSync(file, { force: true });
			else {
				this.#makePrivate(file, FILE_MODE);
				const text = encodeCredentials({ ...credentials, key, entry: credentials.entry ?? entry });
				replaceFile(file, Buffer.from(text), { mode: FILE_MODE });
			}
		} catch (error) {
			throw storeError(file, error);
		}
	}

	/** Give the record of an earlier version to this account, unless the account has one. False when there is nothing to give. */
	async adoptEarlier(account: Account): Promise<boolean> {
		if (this.readEarlier(account.url) === undefined) return false;
		const earlier = this.#earlierFolderOf(account.url);
		return this.#lockedFolder(earlier, () =>
			this.locked(account, async () => {
				if (this.readEarlier(account.url) === undefined || this.read(account) !== undefined) return false;
				renameSync(join(earlier, FILE), this.fileOf(account));
				this.write(account, this.read(account)); // with its key
				return true;
			}),
		);
	}

	/** Run `work` while no other process changes the record of the account. */
	locked<T>(account: Account, work: () => Promise<T>): Promise<T> {
		return this.#lockedFolder(this.#folderOf(account), work);
	}

	async #lockedFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
		this.#makeFolder(folder);
		for (let round = 1; ; round++) {
			let isLocked = false;
			try {
				return await withFolderLock(folder, () => {
					isLocked = true;
					return work();
				});
			} catch (error) {
				if (isLocked || round === LOCK_ROUNDS || !OrchestraError.is(error, 'timeout')) throw error;
			}
		}
	}

	#readFile(file: string): Credentials | undefined {
		this.#makePrivate(this.#folder, FOLDER_MODE);
		this.#makePrivate(dirname(file), FOLDER_MODE);
		this.#makePrivate(file, FILE_MODE);
		try {
			const found = decodeCredentials(readRegularText(file, CREDENTIALS_LIMIT_BYTES));
			if (found === undefined) this.#log.warn(`${file} is damaged and is ignored`);
			return found;
		} catch (error) {
			if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
			throw storeError(file, error);
		}
	}

	#folderOf({ url, key }: Account): string {
		return this.#hostFolder(url, JSON.stringify([url, key]));
	}

	#earlierFolderOf(url: string): string {
		return this.#hostFolder(url, url);
	}

	#hostFolder(url: string, hashed: string): string {
		const host = new URL(url).hostname.replace(/[^\w.-]/g, '_').slice(0, 80);
		return join(this.#folder, `${host}-${sha256(hashed).slice(0, KEY_CHARACTERS)}`);
	}

	#makeFolder(folder: string): void {
		try {
			for (const path of [this.#folder, folder]) {
				const isNew = makeFolders(path, FOLDER_MODE);
				if (isNew) chmodSync(path, FOLDER_MODE); // a umask may have taken our own rights
				this.#makePrivate(path, FOLDER_MODE);
			}
		} catch (error) {
			throw storeError(folder, error);
		}
	}

	/** Narrow the mode of a path of ours. Throws `bad_input` when it belongs to another user or is a link. */
	#makePrivate(path: string, mode: number): void {
		makePrivate(path, mode, this.#log);
		assertPrivate(path);
	}
}

/** Nothing when the folder does not exist. */
function foldersIn(folder: string): string[] {
	try {
		return readdirSync(folder, { withFileTypes: true })
			.filter((each) => each.isDirectory())
			.map(({ name }) => name)
			.sort();
	} catch (error) {
		if (isCode(error, 'ENOENT')) return [];
		throw storeError(folder, error);
	}
}

function storeError(path: string, error: unknown): OrchestraError {
	if (OrchestraError.is(error)) return error;
	return new OrchestraError('io', `the credentials in ${path} cannot be used: ${messageOf(error)}`, {
		hint: 'Make the folder writable for you, or name another place with XDG_STATE_HOME.',
		data: { path },
	});
}
