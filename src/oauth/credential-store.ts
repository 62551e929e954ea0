/*
 * The credentials on disk: one folder per server below `$XDG_STATE_HOME/orchestra/auth`,
 * with one file and one lock.
 *
 * Folders have mode 0700 and files 0600, whatever the umask says; wider modes are
 * repaired with a warning. A write replaces the whole file, so a reader sees the old
 * record or the new one. The lock is per server: a slow authorization server delays
 * only its own clients.
 */
import { randomBytes } from 'node:crypto';
import {
	chmodSync,
	closeSync,
	fchmodSync,
	fsyncSync,
	lstatSync,
	openSync,
	renameSync,
	rmSync,
	writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isCode, messageOf, OrchestraError } from '../errors.ts';
import { withFolderLock } from '../files/folder-lock.ts';
import { makeFolders } from '../files/make-folders.ts';
import { assertPrivate, makePrivate } from '../files/private-path.ts';
import { readRegularText } from '../files/regular-file.ts';
import { sha256 } from '../files/sha256.ts';
import { stateFolder } from '../files/state-folder.ts';
import type { Log } from '../log.ts';
import { LOCK_ROUNDS } from './auth-limits.ts';
import { type Credentials, decodeCredentials, encodeCredentials } from './credentials.ts';

const FILE = 'credentials.json';
const FILE_LIMIT_BYTES = 1024 * 1024;
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

	/** The file of a server. */
	fileOf(url: string): string {
		return join(this.#folderOf(url), FILE);
	}

	/** A text that changes whenever the record does; undefined when there is none. */
	versionOf(url: string): string | undefined {
		const found = lstatSync(this.fileOf(url), { throwIfNoEntry: false });
		return found && `${found.ino}.${found.mtimeMs}.${found.size}`;
	}

	/** The record of a server; undefined when there is none or it is damaged. Throws `bad_input` when another user may have written it. */
	read(url: string): Credentials | undefined {
		const file = this.fileOf(url);
		this.#makePrivate(this.#folder, FOLDER_MODE);
		this.#makePrivate(dirname(file), FOLDER_MODE);
		this.#makePrivate(file, FILE_MODE);
		try {
			const found = decodeCredentials(readRegularText(file, FILE_LIMIT_BYTES));
			if (found === undefined) this.#log.warn(`${file} is damaged and is ignored`);
			return found?.url === url ? found : undefined;
		} catch (error) {
			if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
			throw storeError(file, error);
		}
	}

	/** Replace the record of a server; undefined removes it. Call it inside `locked`. */
	write(url: string, credentials: Credentials | undefined): void {
		const file = this.fileOf(url);
		try {
			if (credentials === undefined) rmSync(file, { force: true });
			else writeRecord(file, encodeCredentials(credentials));
		} catch (error) {
			throw storeError(file, error);
		}
	}

	/** Run `work` while no other process changes the record of the server. */
	async locked<T>(url: string, work: () => Promise<T>): Promise<T> {
		const folder = this.#folderOf(url);
		this.#makeFolder(folder);
		for (let round = 1; ; round++) {
			let isHeld = false;
			try {
				return await withFolderLock(folder, () => {
					isHeld = true;
					return work();
				});
			} catch (error) {
				if (isHeld || round === LOCK_ROUNDS || !OrchestraError.is(error, 'timeout')) throw error;
			}
		}
	}

	#folderOf(url: string): string {
		const host = new URL(url).hostname.replace(/[^\w.-]/g, '_').slice(0, 80);
		const key = sha256(url).slice(0, KEY_CHARACTERS);
		return join(this.#folder, `${host}-${key}`);
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

/** Written beside the file and renamed, with its mode set before the first byte. */
function writeRecord(file: string, text: string): void {
	const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
	const descriptor = openSync(temporary, 'wx', FILE_MODE);
	try {
		fchmodSync(descriptor, FILE_MODE);
		writeSync(descriptor, text);
		fsyncSync(descriptor);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw error;
	} finally {
		closeSync(descriptor);
	}
	renameSync(temporary, file);
}

function storeError(path: string, error: unknown): OrchestraError {
	if (OrchestraError.is(error)) return error;
	return new OrchestraError('io', `the credentials in ${path} cannot be used: ${messageOf(error)}`, {
		hint: 'Make the folder writable for you, or name another place with XDG_STATE_HOME.',
		data: { path },
	});
}
