/*
 * Replace a file of the user's whole.
 *
 * The new text is written beside the file and renamed over it: a reader sees the old
 * text or the new one. A symbolic link stays, and the file it points to is replaced.
 * Mode and owner are preserved.
 */
import {
	chmodSync,
	chownSync,
	closeSync,
	fsyncSync,
	lstatSync,
	openSync,
	realpathSync,
	renameSync,
	type Stats,
	statSync,
	unlinkSync,
	writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, isCode, OrchestraError } from '../errors.ts';
import { makeFolders } from './make-folders.ts';
import { readRegularFile } from './regular-file.ts';

const MODE_BITS = 0o7777;

export interface ReplaceOptions {
	/** The bytes that the file must have now, undefined for none; a file with others is left alone. */
	readonly expected?: { readonly bytes: Uint8Array | undefined };
	/** Mode of a new file. Default 0o644. */
	readonly mode?: number;
	readonly limitBytes?: number;
}

/** Replace `path` by `bytes`. Throws `bad_input` when the file is not as `expected`; system errors pass through. */
export function replaceFile(path: string, bytes: Uint8Array, options: ReplaceOptions = {}): void {
	const target = targetOf(path);
	const found = statSync(target, { throwIfNoEntry: false });
	makeFolders(dirname(target));
	const draft = draftOf(target, process.pid);
	try {
		writeDraft(draft, bytes, found ?? options.mode ?? 0o644);
		if (options.expected) assertUnchanged(target, options.expected.bytes, options.limitBytes);
		renameSync(draft, target);
	} catch (error) {
		removeDraft(draft);
		throw error;
	}
}

/** Remove what a process with this id left when it was killed while it replaced `path`. */
export function removeDraftOf(path: string, pid: number): void {
	// There is no such folder, or the link leads nowhere: nothing was written.
	attempt(() => removeDraft(draftOf(targetOf(path), pid)));
}

/** The bytes of a file; undefined when there is none. */
export function readIfPresent(path: string, limitBytes?: number): Buffer | undefined {
	try {
		return readRegularFile(path, limitBytes);
	} catch (error) {
		if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
		throw error;
	}
}

function draftOf(target: string, pid: number): string {
	return join(dirname(target), `.${basename(target)}.${pid}.tmp`);
}

function targetOf(path: string): string {
	if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
	try {
		return realpathSync(path);
	} catch (error) {
		throw new OrchestraError('bad_input', `${path} is a symbolic link to nothing`, {
			hint: 'Remove the link, or create the file it points to.',
			cause: error,
		});
	}
}

function writeDraft(draft: string, bytes: Uint8Array, like: Stats | number): void {
	removeDraft(draft); // of a process with the same id that was killed
	const mode = typeof like === 'number' ? like : like.mode & MODE_BITS;
	const descriptor = openSync(draft, 'wx', 0o600);
	try {
		writeFileSync(descriptor, bytes);
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
	// Only root may give a file away.
	if (typeof like !== 'number' && like.uid !== process.getuid?.() && process.getuid?.() === 0)
		chownSync(draft, like.uid, like.gid);
	chmodSync(draft, mode);
}

function assertUnchanged(path: string, expected: Uint8Array | undefined, limitBytes?: number): void {
	const now = readIfPresent(path, limitBytes);
	const isSame = now === undefined ? expected === undefined : expected !== undefined && now.equals(expected);
	if (isSame) return;
	throw new OrchestraError('bad_input', `${path} was changed by another program in the meantime`, {
		hint: 'Close that program, and run the command again.',
		data: { path },
	});
}

function removeDraft(draft: string): void {
	// There may be none.
	attempt(() => unlinkSync(draft));
}
