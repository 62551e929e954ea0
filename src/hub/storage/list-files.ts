/*
 * Walk the folders of the storage.
 *
 * Links are not followed, so the walk ends and finds each file once. Files that vanish
 * meanwhile are skipped. Only the head of each file is read, for its version.
 */
import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isCode, OrchestraError } from '../../errors.ts';
import { FOLDER_DEPTH } from '../../files/files-limits.ts';
import { ioError } from './inside-root.ts';
import {
	FRONT_MATTER_LIMIT_BYTES,
	LIST_LIMIT_ENTRIES,
	LISTED_HEAD_BYTES,
	OPEN_FILES_LIMIT,
} from './storage-limits.ts';
import { CONTROL_FOLDER } from './storage-path.ts';
import { decodeVersion, isBlockCut } from './stored-file.ts';

export interface StorageEntry {
	/** The path from the root, with `/` between names. */
	path: string;
	/** The size of the file, front matter included, in bytes. */
	size: number;
	version: bigint;
	modifiedAt: Date;
}

/** A file or folder: its real path and its path in the storage. */
export interface LocatedFile {
	place: string;
	path: string;
}

/** Files at and below a path whose names match, sorted by path. Throws `bad_input` when there are too many. */
export async function findFiles(
	start: LocatedFile,
	isWanted: (name: string) => boolean,
): Promise<LocatedFile[]> {
	const found: LocatedFile[] = [];
	for await (const file of walk(start, 0)) {
		if (!isWanted(basename(file.place))) continue;
		if (found.push(file) > LIST_LIMIT_ENTRIES) throw tooMany(start.path);
	}
	return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Size, version and time of each file; files that are gone are skipped. */
export async function describeFiles(found: readonly LocatedFile[]): Promise<StorageEntry[]> {
	const entries: (StorageEntry | undefined)[] = [];
	for (let at = 0; at < found.length; at += OPEN_FILES_LIMIT) {
		entries.push(...(await Promise.all(found.slice(at, at + OPEN_FILES_LIMIT).map(describe))));
	}
	return entries.filter((entry) => entry !== undefined);
}

async function* walk({ place, path }: LocatedFile, depth: number): AsyncGenerator<LocatedFile> {
	if (depth === 0 && (await lstat(place).catch(() => undefined))?.isFile()) return yield { place, path };
	for (const entry of await readFolder(place)) {
		if (path === '' && entry.name === CONTROL_FOLDER) continue;
		const below = {
			place: join(place, entry.name),
			path: path === '' ? entry.name : `${path}/${entry.name}`,
		};
		if (entry.isFile()) yield below;
		else if (entry.isDirectory() && depth < FOLDER_DEPTH) yield* walk(below, depth + 1);
	}
}

async function readFolder(place: string): Promise<Dirent[]> {
	try {
		return await readdir(place, { withFileTypes: true });
	} catch (error) {
		if (isGone(error)) return [];
		throw ioError(`cannot list ${place}`, error);
	}
}

async function describe({ place, path }: LocatedFile): Promise<StorageEntry | undefined> {
	try {
		const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		try {
			const { size, mtime } = await file.stat();
			const readHead = async (limit: number): Promise<Buffer> => {
				const head = Buffer.alloc(Math.min(size, limit));
				const { bytesRead } = await file.read(head, 0, head.length, 0);
				return head.subarray(0, bytesRead);
			};
			let head = await readHead(LISTED_HEAD_BYTES);
			if (size > LISTED_HEAD_BYTES && isBlockCut(head)) head = await readHead(FRONT_MATTER_LIMIT_BYTES);
			return { path, size, version: decodeVersion(head), modifiedAt: mtime };
		} finally {
			await file.close();
		}
	} catch (error) {
		if (isGone(error) || isCode(error, 'ELOOP')) return undefined;
		throw ioError(`cannot read ${path}`, error);
	}
}

function isGone(error: unknown): boolean {
	return isCode(error, 'ENOENT', 'ENOTDIR');
}

function tooMany(path: string): OrchestraError {
	return new OrchestraError(
		'bad_input',
		`more than ${LIST_LIMIT_ENTRIES} files match below ${JSON.stringify(path)}`,
		{ hint: 'Ask for a narrower prefix or pattern.', data: { code: 'storage_error' } },
	);
}
