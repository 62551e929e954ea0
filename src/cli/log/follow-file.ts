/*
 * A log file as it grows, through rotation: when another file has its name, the old one
 * is read to its end first, then the new one from its beginning.
 *
 * The file is polled: watching does not report every append on every file system.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCode, OrchestraError } from '../../errors.ts';
import { FOLLOW_CHUNK_BYTES, FOLLOW_POLL_MS } from '../cli-limits.ts';

export interface FollowOptions {
	/** Where to begin, in bytes. Default 0. */
	readonly from?: number;
	readonly signal: AbortSignal;
	/** Gets every piece in order; false ends it. */
	readonly onBytes: (bytes: Buffer) => Promise<boolean>;
}

/** Follow a file, which need not exist yet. Resolves when `onBytes` says so or the signal is aborted. */
export async function followFile(path: string, { from = 0, signal, onBytes }: FollowOptions): Promise<void> {
	let file = openLog(path, from);
	try {
		while (!signal.aborted) {
			const isReplaced = file !== undefined && !isSameFile(file.descriptor, path);
			if (file && !(await readRest(file, onBytes))) return;
			if (file && isReplaced) {
				closeSync(file.descriptor);
				file = undefined;
			}
			file ??= openLog(path, 0);
			if (!isReplaced) await sleep(FOLLOW_POLL_MS, undefined, { signal }).catch(() => {}); // aborted: the loop ends
		}
	} finally {
		if (file) closeSync(file.descriptor);
	}
}

interface OpenLog {
	readonly descriptor: number;
	at: number;
}

function openLog(path: string, at: number): OpenLog | undefined {
	let descriptor: number;
	try {
		// A pipe of this name must not block us.
		descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
		throw error;
	}
	if (fstatSync(descriptor).isFile()) return { descriptor, at };
	closeSync(descriptor);
	throw new OrchestraError('bad_input', `${path} is no regular file, so it cannot be followed`, {
		hint: 'Remove it; the hub writes a new log.',
	});
}

/** Everything that is there now; false when the reader has enough. */
async function readRest(file: OpenLog, onBytes: FollowOptions['onBytes']): Promise<boolean> {
	// A file that became shorter was written anew.
	if (fstatSync(file.descriptor).size < file.at) file.at = 0;
	for (;;) {
		const chunk = Buffer.allocUnsafe(FOLLOW_CHUNK_BYTES);
		const length = readSync(file.descriptor, chunk, 0, FOLLOW_CHUNK_BYTES, file.at);
		if (length === 0) return onBytes(Buffer.alloc(0));
		file.at += length;
		if (!(await onBytes(chunk.subarray(0, length)))) return false;
	}
}

function isSameFile(descriptor: number, path: string): boolean {
	const found = statSync(path, { throwIfNoEntry: false });
	const open = fstatSync(descriptor);
	// Between the two steps of a rotation no file has the name.
	return found === undefined || (found.ino === open.ino && found.dev === open.dev);
}
