/*
 * Write the planned files so that all of it can be undone.
 *
 * Before the first write, the old bytes and a manifest are in a new folder of the state
 * folder, readable by the user alone: configurations contain secrets. The manifest has
 * the hash of the new bytes, so undo knows whether a file was changed since. A client
 * that wrote its file again keeps what it wrote: only our edit is taken back.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { missingFolders, removeEmptyFolders } from '../../files/created-folders.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularFile, readRegularText } from '../../files/regular-file.ts';
import { readIfPresent, removeDraftOf, replaceFile } from '../../files/replace-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { isObject } from '../../wire/json.ts';
import { CLIENT_FILE_LIMIT_BYTES } from './client-file.ts';
import type { PlannedFile } from './move-plan.ts';
import { revertEdit } from './revert-edit.ts';

const MANIFEST = 'manifest.json';

interface BackupEntry {
	readonly path: string;
	/** Name of the copy in the backup folder; undefined for a file that did not exist. */
	readonly copy?: string | undefined;
	readonly mode?: number | undefined;
	readonly before?: string | undefined;
	/** Name of the copy of the new bytes; undefined as for `copy`. */
	readonly edited?: string | undefined;
	/** Hash of the new bytes. */
	readonly after: string;
}

interface Manifest {
	readonly files: readonly BackupEntry[];
	/** Folders that were created, outermost first. */
	readonly folders: readonly string[];
	/** Files that did not exist and that the hub may write for the new configuration: they go with it. */
	readonly products?: readonly string[];
	/** The process that writes the files. */
	readonly pid: number;
}

/** What a move brings besides its files. */
export interface MoveExtras {
	/** Folders to create. */
	readonly folders: readonly string[];
	/** Files that the hub may write later, for what this move creates. */
	readonly products: readonly string[];
}

/** Back up, then write. Returns the backup folder. A failure in the middle restores what was written. */
export function applyMove(
	files: readonly PlannedFile[],
	{ folders, products }: MoveExtras,
	state: string,
): string {
	const backup = newBackupFolder(state);
	const created = [
		...new Set([...folders, ...files.map(({ path }) => dirname(path))].flatMap(missingFolders)),
	];
	const entries = files.map((file, index) => backedUp(file, join(backup, `${index}.bak`)));
	const missing = products.filter((path) => !existsSync(path));
	const manifest: Manifest = { files: entries, folders: created, products: missing, pid: process.pid };
	replaceFile(join(backup, MANIFEST), Buffer.from(JSON.stringify(manifest)), { mode: 0o600 });
	try {
		for (const folder of folders) makeFolders(folder);
		for (const { path, before, after, mode } of files) {
			const limitBytes = CLIENT_FILE_LIMIT_BYTES;
			replaceFile(path, after, { expected: { bytes: before }, mode, limitBytes });
		}
	} catch (error) {
		restoreAll(backup, (state) => state === 'new');
		throw error;
	}
	return backup;
}

/** Undo the latest backup, and return the paths of the restored files. Throws `bad_input` naming files that were changed since, unless forced. */
export function undoLatestMove(state: string, isForced: boolean): string[] {
	const latest = backupFolders(state).at(-1);
	if (latest === undefined) {
		throw new OrchestraError('bad_input', 'there is nothing to undo', {
			hint: `mctl init keeps its backups in ${backupsFolder(state)}.`,
		});
	}
	const changed = readManifest(latest).files.filter(
		(entry) => stateOf(entry) === 'changed' && revertedBytes(entry, latest) === undefined,
	);
	if (changed.length > 0 && !isForced) throw changedSince(changed, latest);
	return restoreAll(latest, (state) => state !== 'old');
}

function restoreAll(backup: string, isDue: (state: FileState) => boolean): string[] {
	const { files, folders, products = [], pid } = readManifest(backup);
	for (const { path } of files) removeDraftOf(path, pid);
	const restored = files.filter((entry) => isDue(stateOf(entry)));
	const failures = [...restored].reverse().flatMap((entry) => {
		try {
			restore(entry, backup);
			return [];
		} catch (error) {
			return [error];
		}
	});
	// The backup stays, so that undo can be repeated.
	if (failures.length > 0) throw OrchestraError.from(failures[0], 'io');
	for (const path of products) rmSync(path, { force: true });
	removeEmptyFolders(folders);
	rmSync(backup, { recursive: true, force: true });
	return restored.map(({ path }) => path);
}

function restore(entry: BackupEntry, backup: string): void {
	const { path, copy, mode } = entry;
	if (copy === undefined) {
		if (existsSync(path)) unlinkSync(path);
		return;
	}
	const isChanged = stateOf(entry) === 'changed';
	const bytes = (isChanged && revertedBytes(entry, backup)) || readCopy(backup, copy);
	replaceFile(path, bytes, { mode: mode ?? 0o600 });
	if (mode !== undefined) chmodSync(path, mode);
}

/** A file that was changed since, without our edit; undefined when the edit is not there any more. */
function revertedBytes({ path, copy, edited }: BackupEntry, backup: string): Buffer | undefined {
	const present = readIfPresent(path, CLIENT_FILE_LIMIT_BYTES);
	if (copy === undefined || edited === undefined || present === undefined) return undefined;
	const reverted = revertEdit({
		before: readCopy(backup, copy).toString('utf8'),
		after: readCopy(backup, edited).toString('utf8'),
		now: present.toString('utf8'),
	});
	return reverted === undefined ? undefined : Buffer.from(reverted);
}

function readCopy(backup: string, name: string): Buffer {
	return readRegularFile(join(backup, name), CLIENT_FILE_LIMIT_BYTES);
}

type FileState = 'old' | 'new' | 'changed';

/** A file that is as it was before needs nothing: the move ended before it, or it was restored by hand. */
function stateOf({ path, before, after }: BackupEntry): FileState {
	const bytes = readIfPresent(path, CLIENT_FILE_LIMIT_BYTES);
	const hash = bytes && sha256(bytes);
	if (hash === before) return 'old';
	return hash === after ? 'new' : 'changed';
}

function changedSince(entries: readonly BackupEntry[], backup: string): OrchestraError {
	const paths = entries.map(({ path }) => path);
	const verb = paths.length === 1 ? 'was' : 'were';
	return new OrchestraError('bad_input', `${paths.join(', ')} ${verb} changed since mctl init`, {
		hint: `mctl init --undo --force restores the old text all the same. The old files are in ${backup}.`,
		data: { files: paths, backup },
	});
}

function backedUp({ path, before, after }: PlannedFile, copy: string): BackupEntry {
	if (before === undefined) return { path, after: sha256(after) };
	replaceFile(copy, before, { mode: 0o600 });
	const edited = copy.replace(/bak$/, 'new');
	replaceFile(edited, after, { mode: 0o600 });
	const mode = statSync(path).mode & 0o7777;
	return {
		path,
		copy: basename(copy),
		mode,
		before: sha256(before),
		edited: basename(edited),
		after: sha256(after),
	};
}

function backupsFolder(state: string): string {
	return join(state, 'init');
}

/** Names sort by time. */
function backupFolders(state: string): string[] {
	const folder = backupsFolder(state);
	if (!existsSync(folder)) return [];
	assertPrivate(folder);
	return readdirSync(folder)
		.sort()
		.map((name) => join(folder, name))
		.filter((path) => existsSync(join(path, MANIFEST)));
}

function newBackupFolder(state: string): string {
	const folder = backupsFolder(state);
	makeFolders(folder, 0o700);
	assertPrivate(folder);
	const stamp = new Date().toISOString().replaceAll(/[-:]/g, '');
	const path = join(folder, `${stamp}-${process.pid}`);
	mkdirSync(path, { mode: 0o700 });
	return path;
}

function readManifest(backup: string): Manifest {
	const path = join(backup, MANIFEST);
	assertPrivate(path);
	const value: unknown = JSON.parse(readRegularText(path));
	if (isObject(value) && Array.isArray(value['files']) && Array.isArray(value['folders'])) {
		// We wrote it, and nobody else can.
		return value as unknown as Manifest;
	}
	throw new OrchestraError('bad_input', `${path} is damaged`, { hint: `The old files are in ${backup}.` });
}
