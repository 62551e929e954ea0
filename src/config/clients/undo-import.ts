/*
 * Undo a move: every file as it was, or, when others changed it since, without the edit.
 *
 * Each file is restored for itself; one that cannot be is named, and the undo can be
 * repeated for it. Our own configuration is the last: as long as a client still points to
 * the hub, its servers stay there. What is overwritten and not known from the backup is
 * copied into the backup folder first, which then stays.
 */
import { existsSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { attempt, OrchestraError } from '../../errors.ts';
import { removeEmptyFolders } from '../../files/empty-folders.ts';
import { removeDraftOf, replaceFile } from '../../files/replace-file.ts';
import { CLIENT_FILE_LIMIT_BYTES, RESTORE_TRIES_LIMIT } from '../config-limits.ts';
import { trustEdit } from '../trust/trust-edit.ts';
import { parseClientText } from './client-document.ts';
import {
	type BackupEntry,
	backupState,
	closeBackup,
	latestBackup,
	presentBytes,
	readBackup,
	readBackupManifest,
	restoreFile,
	timeStamp,
	writeBackupManifest,
} from './import-backup.ts';
import { undoEdit } from './undo-edit.ts';

export interface UndoOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Restore also a file that cannot be edited: the old one whole, in place of the present one. */
	readonly isForced: boolean;
}

export interface UndoReport {
	/** Files that are as before now, or without the edit. */
	readonly restored: readonly string[];
	/** Servers that others changed since; they stay as they are. */
	readonly kept: readonly { readonly path: string; readonly names: readonly string[] }[];
	readonly failed: readonly { readonly path: string; readonly error: OrchestraError }[];
	/** Our configuration, which stays until the rest is restored. */
	readonly waiting: readonly string[];
	/** Files as they were before they were overwritten. */
	readonly copies: readonly string[];
	/** The folder of the backup. */
	readonly backup: string;
	/** Secret references that our configuration had before, and has no longer. */
	readonly references: readonly string[];
}

/** Undo the latest move, as far as it is possible. */
export async function undoLatestImport(state: string, options: UndoOptions): Promise<UndoReport> {
	const backup = latestBackup(state);
	const manifest = readBackupManifest(backup);
	const undo = new Undo(backup, options);
	for (const { path } of manifest.files) removeDraftOf(path, manifest.pid);
	const clients = manifest.files.filter(({ target }) => target === undefined);
	const own = manifest.files.filter(({ target }) => target !== undefined);
	await undo.restoreAll(clients.toReversed());
	const waiting = undo.failed.length > 0 ? own : [];
	const before = own.flatMap(referencesIn);
	if (waiting.length === 0) await undo.restoreAll(own.toReversed());
	if (undo.failed.length > 0) {
		const left = new Set(undo.failed.map(({ path }) => path));
		const files = manifest.files.filter((entry) => waiting.includes(entry) || left.has(entry.path));
		writeBackupManifest(backup, { ...manifest, files });
	} else {
		// The products of a configuration that stays are in use.
		if (own.every(({ path, copy }) => copy !== undefined || !existsSync(path)))
			for (const path of manifest.products) if (existsSync(path)) unlinkSync(path);
		removeEmptyFolders(manifest.folders);
		// The old values of servers that others changed are in it.
		closeBackup(backup, undo.copies.length > 0 || undo.kept.length > 0);
	}
	const { restored, kept, failed, copies } = undo;
	const left = new Set(own.flatMap(referencesIn));
	const references = before.filter((each) => !left.has(each));
	return { backup, references, restored, kept, failed, copies, waiting: waiting.map(({ path }) => path) };
}

function referencesIn(entry: BackupEntry): string[] {
	const text = attempt(() => presentBytes(entry)?.toString('utf8'));
	return text?.match(/\$\{(?:file|keychain):[^}"]+\}/g) ?? [];
}

class Undo {
	readonly restored: string[] = [];
	readonly kept: UndoReport['kept'][number][] = [];
	readonly failed: UndoReport['failed'][number][] = [];
	readonly copies: string[] = [];
	readonly #backup: string;
	readonly #options: UndoOptions;

	constructor(backup: string, options: UndoOptions) {
		this.#backup = backup;
		this.#options = options;
	}

	async restoreAll(entries: readonly BackupEntry[]): Promise<void> {
		for (const entry of entries) {
			try {
				if (await this.#restore(entry)) this.restored.push(entry.path);
			} catch (error) {
				this.failed.push({ path: entry.path, error: OrchestraError.from(error, 'io') });
			}
		}
	}

	/** False when there was nothing to do. */
	async #restore(entry: BackupEntry): Promise<boolean> {
		for (let tries = 1; ; tries++) {
			const present = presentBytes(entry);
			const state = backupState(entry, present);
			if (state === 'old') return false;
			try {
				if (state === 'changed' && present !== undefined) return await this.#revert(entry, present);
				restoreFile(entry, this.#backup);
				return true;
			} catch (error) {
				const isChanging = presentBytes(entry)?.equals(present ?? Buffer.of()) === false;
				if (!isChanging || tries === RESTORE_TRIES_LIMIT) throw error;
			}
		}
	}

	/** Take the edit alone out of a file that others changed. */
	async #revert(entry: BackupEntry, present: Buffer): Promise<boolean> {
		const { path, copy, target } = entry;
		const base = readBackup(this.#backup, entry.base).toString('utf8');
		const undone = this.#undone(entry, base, present);
		if (undone === undefined) {
			this.#copy(entry, present);
			restoreFile(entry, this.#backup);
			return true;
		}
		if (undone.kept.length > 0) this.kept.push({ path, names: undone.kept });
		const after = Buffer.from(undone.text);
		if (after.equals(present)) return false;
		this.#copy(entry, present);
		if (copy === undefined && isSameValue(undone.text, base, path)) {
			unlinkSync(path);
			return true;
		}
		if (target === 'project') await trustEdit({ path, before: present, after }, this.#options.environment);
		replaceFile(path, after, { expected: { bytes: present }, limitBytes: CLIENT_FILE_LIMIT_BYTES });
		return true;
	}

	/** Undefined when it is impossible and forced. */
	#undone(entry: BackupEntry, before: string, present: Buffer): ReturnType<typeof undoEdit> | undefined {
		const { path, places } = entry;
		const after = readBackup(this.#backup, entry.edited).toString('utf8');
		try {
			return undoEdit({ path, before, after, now: textOf(present, path), places });
		} catch (error) {
			if (this.#options.isForced) return undefined;
			throw error;
		}
	}

	#copy({ path }: BackupEntry, present: Buffer): void {
		const copy = join(this.#backup, `${this.copies.length}-${basename(path)}.${timeStamp()}`);
		replaceFile(copy, present, { mode: 0o600 });
		this.copies.push(copy);
	}
}

function textOf(bytes: Buffer, path: string): string {
	const text = bytes.toString('utf8');
	if (Buffer.from(text).equals(bytes)) return text;
	throw new OrchestraError('bad_input', `${path} is not UTF-8`, { hint: 'Save it as UTF-8.' });
}

function isSameValue(one: string, other: string, path: string): boolean {
	return isDeepStrictEqual(parseClientText(one, path), parseClientText(other, path));
}
