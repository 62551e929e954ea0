/*
 * Read a small stored file synchronously.
 *
 * The asynchronous path uses the thread pool eight times (two real paths, open, stat,
 * read, close), which takes about a millisecond even when the file is in the page cache.
 * Six synchronous system calls take about 30 µs. Anything unusual (a large file, a link,
 * a missing file) gives undefined, and the asynchronous path handles it.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { SMALL_READ_BYTES } from './storage-limits.ts';

/** The bytes of a small regular file that lies below the root without any link; undefined for anything else. */
export function readSmall(root: string, path: string): Buffer | undefined {
	try {
		const place = join(realpathSync.native(root), path);
		if (realpathSync.native(place) !== place) return undefined;
		return readWithin(openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
	} catch {
		return undefined; // the asynchronous path reports the error
	}
}

function readWithin(descriptor: number): Buffer | undefined {
	try {
		const found = fstatSync(descriptor);
		if (!found.isFile() || found.size > SMALL_READ_BYTES) return undefined;
		const bytes = Buffer.allocUnsafeSlow(found.size + 1);
		const size = readSync(descriptor, bytes, 0, bytes.length, 0);
		return size > found.size ? undefined : bytes.subarray(0, size); // it grew meanwhile
	} finally {
		closeSync(descriptor);
	}
}
