/*
 * Write the planned files so that all of it can be undone.
 *
 * Before the first write, the old bytes and a manifest are in a new folder of the state
 * folder, readable by the user alone: configurations contain secrets. The manifest has
 * the hash of the new bytes, so undo knows whether a file was changed since.
 */
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { missingFolders, removeEmptyFolders } from '../../files/empty-folders.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularFile, readRegularText } from '../../files/regular-file.ts';
import { readIfPresent, removeDraftOf, replaceFile } from '../../files/replace-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { isObject } from '../../wire/json.ts';
import { CLIENT_FILE_LIMIT_BYTES } from '../config-limits.ts';
import type { ClientScope } from './client-table.ts';
import type { PlannedFile } from './import-edits.ts';

const MANIFEST = 'manifest.json';
/** Its name after an undo that left copies in the folder. */
const UNDONE = 'undone.json';

export interface BackupEntry {
	readonly path: string;
	/** Name of the copy of the old bytes in the backup folder; undefined for a file that did not exist. */
	readonly copy?: string | undefined;
	readonly mode?: number | undefined;
	/** Hash of the old bytes. */
	readonly before?: string | undefined;
	/** Names of the copies of the new text, and of the text that it was made from. */
	readonly edited: string;
	readonly base: string;
	/** Hash of the new bytes. */
	readonly after: string;
	/** The keys of every object or list that was edited. */
	readonly places: readonly (readonly string[])[];
	/** The scope of a configuration of ours; undefined for the file of a client. */
	readonly target?: ClientScope | undefined;
}

export interface BackupManifest {
	readonly files: readonly BackupEntry[];
	/** Folders that were created, outermost first. */
	readonly folders: readonly string[];
	/** Files that did not exist and that the hub may write for the new configuration: they go with it. */
	readonly products: readonly string[];
	/** The process that writes the files. */
	readonly pid: number;
}

/** The additions of an import besides its files. */
export interface ImportExtras {
	/** Folders to create. */
	readonly folders: readonly string[];
	/** Files that the hub may write later, for what this move creates. */
	readonly products: readonly string[];
}

/** Back up, then write. Returns the backup folder. A failure in the middle restores what was written. */
export function applyImport(
	files: readonly PlannedFile[],
	{ folders, products }: ImportExtras,
	state: string,
): string {
	const backup = newBackupFolder(state);
	const created = [
		...new Set([...folders, ...files.map(({ path }) => dirname(path))].flatMap(missingFolders)),
	];
	const entries = files.map((file, index) => backedUp(file, join(backup, String(index))));
	const missing = products.filter((path) => !existsSync(path));
	writeBackupManifest(backup, { files: entries, folders: created, products: missing, pid: process.pid });
	try {
		for (const folder of folders) makeFolders(folder);
		for (const { path, before, after, mode } of files) {
			const limitBytes = CLIENT_FILE_LIMIT_BYTES;
			replaceFile(path, after, { expected: { bytes: before }, mode, limitBytes });
		}
	} catch (error) {
		rollBack(entries, backup);
		removeEmptyFolders(created);
		closeBackup(backup, false);
		throw error;
	}
	return backup;
}

/** Throws when a file cannot be restored; the backup stays then, for `mctl init --undo`. */
function rollBack(entries: readonly BackupEntry[], backup: string): void {
	for (const entry of entries.toReversed()) {
		removeDraftOf(entry.path, process.pid);
		if (backupState(entry, presentBytes(entry)) === 'new') restoreFile(entry, backup);
	}
}

export type FileState = 'old' | 'new' | 'changed';

/** A file that is as it was before needs nothing: the move ended before it, or it was restored by hand. */
export function backupState({ before, after }: BackupEntry, present: Buffer | undefined): FileState {
	const hash = present && sha256(present);
	if (hash === before) return 'old';
	return hash === after ? 'new' : 'changed';
}

export function presentBytes({ path }: BackupEntry): Buffer | undefined {
	return readIfPresent(path, CLIENT_FILE_LIMIT_BYTES);
}

/** The file as it was before, with its mode; one that did not exist is removed. */
export function restoreFile({ path, copy, mode }: BackupEntry, backup: string): void {
	if (copy === undefined) {
		if (existsSync(path)) unlinkSync(path);
		return;
	}
	replaceFile(path, readBackup(backup, copy), { mode: mode ?? 0o600 });
	if (mode !== undefined) chmodSync(path, mode);
}

export function readBackup(backup: string, name: string): Buffer {
	return readRegularFile(join(backup, name), CLIENT_FILE_LIMIT_BYTES);
}

/** The latest move that was not undone. Throws `bad_input` when there is none. */
export function latestBackup(state: string): string {
	const folder = backupsFolder(state);
	// Names sort by time.
	const latest = (existsSync(folder) ? namesIn(folder) : [])
		.map((name) => join(folder, name))
		.findLast((path) => existsSync(join(path, MANIFEST)));
	if (latest !== undefined) return latest;
	throw new OrchestraError('bad_input', 'there is nothing to undo', {
		hint: `mctl init keeps its backups in ${folder}.`,
	});
}

export function readBackupManifest(backup: string): BackupManifest {
	const path = join(backup, MANIFEST);
	assertPrivate(path);
	const value: unknown = JSON.parse(readRegularText(path));
	if (isObject(value) && Array.isArray(value['files']) && Array.isArray(value['folders'])) {
		// We wrote it, and no other user can.
		return value as unknown as BackupManifest;
	}
	throw new OrchestraError('bad_input', `${path} is damaged`, { hint: `The old files are in ${backup}.` });
}

export function writeBackupManifest(backup: string, manifest: BackupManifest): void {
	replaceFile(join(backup, MANIFEST), Buffer.from(JSON.stringify(manifest)), { mode: 0o600 });
}

/** The move is undone. The folder stays when there are `hasCopies` that are nowhere else. */
export function closeBackup(backup: string, hasCopies: boolean): void {
	if (hasCopies) renameSync(join(backup, MANIFEST), join(backup, UNDONE));
	else rmSync(backup, { recursive: true, force: true });
}

/** The time as part of a file name; names sort by it. */
export function timeStamp(): string {
	return new Date().toISOString().replaceAll(/[-:]/g, '');
}

function backedUp({ path, before, base, after, places, target }: PlannedFile, name: string): BackupEntry {
	const write = (ending: string, bytes: Buffer): string => {
		replaceFile(`${name}.${ending}`, bytes, { mode: 0o600 });
		return basename(`${name}.${ending}`);
	};
	const common = { path, edited: write('new', after), after: sha256(after), places, target };
	if (before === undefined) return { ...common, base: write('base', base) };
	const copy = write('bak', before);
	const mode = statSync(path).mode & 0o7777;
	return {
		...common,
		copy,
		mode,
		before: sha256(before),
		base: base.equals(before) ? copy : write('base', base),
	};
}

function backupsFolder(state: string): string {
	return join(state, 'init');
}

function namesIn(folder: string): string[] {
	assertPrivate(folder);
	return readdirSync(folder).sort();
}

function newBackupFolder(state: string): string {
	const folder = backupsFolder(state);
	makeFolders(folder, 0o700);
	assertPrivate(folder);
	const path = join(folder, `${timeStamp()}-${process.pid}`);
	mkdirSync(path, { mode: 0o700 });
	return path;
}
