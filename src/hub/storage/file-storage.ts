/*
 * The storage of the plugin protocol in plain files below `<workspace>/.projects`.
 *
 * A write creates a temporary file and renames it, so that a reader sees the old content
 * or the new and never a part, even when the writer dies. The version is compared under
 * a lock of the path. The root is created by the first write; reading creates nothing.
 */
import { constants, realpathSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode, OrchestraError } from '../../errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { fileNotFound } from '../../plugin/missing-file.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { findInside, ioError, makeInside } from './inside-root.ts';
import { describeFiles, findFiles, type LocatedFile, type StorageEntry } from './list-files.ts';
import { namePattern } from './name-pattern.ts';
import { PathLocks } from './path-locks.ts';
import type { ListRequest, ResourceStorage, StorageChange, WriteRequest } from './storage.ts';
import { CONTENT_LIMIT_BYTES, LARGEST_FILE_BYTES, SMALL_READ_BYTES } from './storage-limits.ts';
import { filePath, folderPath, refusedPath } from './storage-path.ts';
import { decodeFile, decodeVersion, encodeFile, type StoredFile } from './stored-file.ts';

/** The folder of a workspace that is the root of its storage. */
export const STORAGE_FOLDER = '.projects';

export class FileStorage implements ResourceStorage {
	/** The folder of the files; it may not exist yet. */
	readonly root: string;
	readonly #locks: PathLocks;
	readonly #listeners = new Listeners<StorageChange>();

	constructor(workspace: string) {
		this.root = join(workspace, STORAGE_FOLDER);
		this.#locks = new PathLocks(this.root);
	}

	/** Throws `not_found` for a missing file. */
	async read(path: string): Promise<StoredFile> {
		const name = filePath(path);
		const small = readSmall(this.root, name);
		if (small) return decodeFile(small);
		const place = await findInside(this.root, name);
		if (place === undefined) throw fileNotFound(name);
		return decodeFile(await readWhole(place, name));
	}

	/** Write a file; versions begin at 1. Throws `bad_input` when the expected version is not the current one. */
	async write(request: WriteRequest): Promise<{ newVersion: bigint }> {
		const { content, metadata = {}, expectedVersion } = request;
		const name = filePath(request.path);
		if (expectedVersion < -1n) throw refusedPath(name, `cannot be at version ${expectedVersion}`);
		if (content.length > CONTENT_LIMIT_BYTES) {
			throw refusedPath(name, `would hold ${content.length} bytes, more than ${CONTENT_LIMIT_BYTES}`);
		}
		const place = await makeInside(this.root, name);
		return this.#locks.run(await this.#key(place), async (unfinished) => {
			const current = await currentVersion(place, name);
			checkVersion(name, expectedVersion, current);
			const newVersion = current + 1n;
			const bytes = encodeFile({ content, metadata, version: newVersion });
			await replaceBytes(place, unfinished, bytes).catch(rethrow(`cannot write ${name}`));
			this.#listeners.emit({ path: name, kind: current === 0n ? 'created' : 'changed' });
			return { newVersion };
		});
	}

	/** Throws `not_found` for a missing file. */
	async delete(path: string): Promise<void> {
		const name = filePath(path);
		const place = await findInside(this.root, name);
		if (place === undefined) throw fileNotFound(name);
		await this.#locks.run(await this.#key(place), async () => {
			if ((await currentVersion(place, name)) === 0n) throw fileNotFound(name);
			await rm(place).catch(rethrow(`cannot delete ${name}`));
			this.#listeners.emit({ path: name, kind: 'deleted' });
		});
	}

	/** The files below a folder, sorted by path. A missing folder is empty. */
	async list(request: ListRequest = {}): Promise<StorageEntry[]> {
		return describeFiles(await this.#find(request));
	}

	/** The same as `list`, but only the paths: no file is opened. */
	async paths(request: ListRequest = {}): Promise<string[]> {
		return (await this.#find(request)).map(({ path }) => path);
	}

	/** Subscribe to writes and deletes. Returns the function that unsubscribes. */
	readonly onChange: Listeners<StorageChange>['add'] = this.#listeners.add;

	async #find({ prefix = '', pattern = '' }: ListRequest): Promise<LocatedFile[]> {
		const path = folderPath(prefix);
		const isWanted = namePattern(pattern);
		const place = await findInside(this.root, path);
		return place === undefined ? [] : findFiles({ place, path }, isWanted);
	}

	/** The lock key: the same for all processes and for all links to a file. */
	async #key(place: string): Promise<string> {
		return place.slice((await realpath(this.root)).length);
	}
}

function checkVersion(path: string, expected: bigint, current: bigint): void {
	if (expected === -1n || expected === current) return;
	const message =
		expected === 0n
			? 'file already exists (expected_version=0 means create new)'
			: `version conflict: expected ${expected}, current ${current}`;
	throw new OrchestraError('bad_input', message, {
		hint: 'Read the file again and write with the version that was read, or with -1 to write in any case.',
		data: { code: 'storage_error', path, expected: String(expected), current: String(current) },
	});
}

/** The version of a file; 0 when it does not exist. */
async function currentVersion(place: string, path: string): Promise<bigint> {
	try {
		return decodeVersion(await readWhole(place, path));
	} catch (error) {
		if (OrchestraError.is(error, 'not_found')) return 0n;
		throw error;
	}
}

/**
 * The bytes of a small regular file that lies below the root without any link, read synchronously; undefined for
 * anything else. The asynchronous path uses the thread pool eight times (two real paths, open, stat, read, close),
 * which takes about a millisecond even when the file is in the page cache; six system calls take about 30 µs.
 */
function readSmall(root: string, path: string): Buffer | undefined {
	try {
		const place = join(realpathSync.native(root), path);
		if (realpathSync.native(place) !== place) return undefined;
		return readRegularFile(place, SMALL_READ_BYTES, constants.O_NOFOLLOW);
	} catch {
		return undefined; // the asynchronous path reports the error
	}
}

async function readWhole(place: string, path: string): Promise<Buffer> {
	const file = await openFile(place, path);
	try {
		const found = await file.stat();
		if (!found.isFile()) throw refusedPath(path, 'is not a file');
		if (found.size > LARGEST_FILE_BYTES) {
			throw refusedPath(path, `holds ${found.size} bytes, more than ${LARGEST_FILE_BYTES}`);
		}
		return await file.readFile();
	} catch (error) {
		throw ioError(`cannot read ${path}`, error);
	} finally {
		await file.close();
	}
}

/** Does not block on a named pipe, and does not follow a link that was just created. */
async function openFile(place: string, path: string): Promise<FileHandle> {
	try {
		return await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		if (isCode(error, 'ENOENT', 'ENOTDIR')) throw fileNotFound(path);
		throw ioError(`cannot read ${path}`, error);
	}
}

async function replaceBytes(place: string, unfinished: string, bytes: Uint8Array): Promise<void> {
	const mode = (await lstat(place).catch(() => undefined))?.mode;
	try {
		const file = await open(unfinished, 'wx', 0o666);
		try {
			if (mode !== undefined) await file.chmod(mode & 0o777);
			await file.writeFile(bytes);
			await file.sync();
		} finally {
			await file.close();
		}
		await rename(unfinished, place);
	} catch (error) {
		await rm(unfinished, { force: true });
		throw error;
	}
}

function rethrow(what: string): (error: unknown) => never {
	return (error) => {
		throw ioError(what, error);
	};
}
