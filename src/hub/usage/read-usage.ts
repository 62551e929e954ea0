/*
 * Reads the journals of a project for a usage report: that of the shared hub, and those of other
 * processes. In small parts, since the hub that reads them serves calls meanwhile.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isCode } from '../../errors.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { TextLines } from '../../wire/text-lines.ts';
import { serveJournalFiles } from '../journal/serve-journal.ts';
import { type UsableItems, UsageCounts } from './usage-counts.ts';
import { USAGE_BYTES, USAGE_CHUNK_BYTES, USAGE_LINE_BYTES } from './usage-limits.ts';
import type { UsageReport } from './usage-report.ts';

/** The time of a report, in milliseconds since 1970. */
export interface UsageTime {
	readonly since: number;
	readonly until: number;
}

/**
 * The report of the project whose shared hub has this journal.
 * @param limitBytes what is read at most; the rest counts as cut off
 */
export async function readUsage(
	journalFile: string,
	{ since, until }: UsageTime,
	items: UsableItems,
	{ signal, limitBytes = USAGE_BYTES }: { signal?: AbortSignal; limitBytes?: number } = {},
): Promise<UsageReport> {
	const counts = new UsageCounts(since, until);
	let left = limitBytes;
	for (const file of journalFiles(journalFile)) {
		signal?.throwIfAborted();
		left -= await readNewest(file, counts, { limitBytes: left, signal });
	}
	return counts.report(items);
}

/** The newest part of each first. */
function journalFiles(journalFile: string): string[] {
	const files = [journalFile, ...serveJournalFiles(dirname(journalFile)).reverse()];
	return files.flatMap((file) => [file, `${file}.1`]);
}

/** Count the end of a file; returns how many bytes were read. A file that is gone counts as empty. */
async function readNewest(
	path: string,
	counts: UsageCounts,
	{ limitBytes, signal }: { limitBytes: number; signal: AbortSignal | undefined },
): Promise<number> {
	assertPrivate(path);
	let file: FileHandle;
	try {
		// A pipe of this name must not block us.
		file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	} catch (error) {
		if (isCode(error, 'ENOENT')) return 0;
		throw error;
	}
	try {
		const { size, mtimeMs } = await file.stat();
		if (mtimeMs < counts.readFrom) return 0;
		const length = Math.min(size, Math.max(0, limitBytes));
		if (length < size) counts.cut();
		await countLines(file, { from: size - length, to: size }, counts, signal);
		return length;
	} finally {
		await file.close();
	}
}

async function countLines(
	file: FileHandle,
	{ from, to }: { from: number; to: number },
	counts: UsageCounts,
	signal: AbortSignal | undefined,
): Promise<void> {
	const chunk = Buffer.allocUnsafe(USAGE_CHUNK_BYTES);
	// The line at a place within the file is cut off at its beginning: it is no JSON, and skipped.
	const lines = new TextLines(USAGE_LINE_BYTES);
	for (let at = from; at < to; ) {
		signal?.throwIfAborted();
		const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, to - at), at);
		if (bytesRead === 0) return;
		at += bytesRead;
		for (const line of lines.push(chunk.subarray(0, bytesRead))) counts.add(line);
	}
}
