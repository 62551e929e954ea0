/*
 * Read an untrusted file safely.
 *
 * A path that should be a small text file may be a FIFO, a device, a folder or 50 GB.
 * A plain read of those blocks the event loop or fills the memory. So the file is
 * opened with O_NONBLOCK, checked with fstat (its name may change meanwhile), and read
 * up to a limit.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { OrchestraError } from '../errors.ts';
import { SMALL_FILE_LIMIT_BYTES } from './files-limits.ts';

/** The bytes of a regular file, opened with these further flags. Throws `bad_input` for other kinds of file or above `limitBytes`; system errors pass through. */
export function readRegularFile(
	path: string,
	limitBytes: number = SMALL_FILE_LIMIT_BYTES,
	flags: number = 0,
): Buffer {
	const read = (descriptor: number, size: number): Buffer => {
		if (size > limitBytes) throw tooLarge(path, limitBytes);
		return readUpTo(descriptor, path, limitBytes, size);
	};
	return withRegularFile(path, read, flags);
}

/** The text of a regular file, as UTF-8. */
export function readRegularText(path: string, limitBytes: number = SMALL_FILE_LIMIT_BYTES): string {
	return readRegularFile(path, limitBytes).toString('utf8');
}

/** The first bytes of a regular file, at most `bytes`. Throws as `readRegularFile` does. */
export function readRegularHead(path: string, bytes: number): Buffer {
	const head = Buffer.allocUnsafe(bytes);
	return withRegularFile(path, (descriptor) => head.subarray(0, readSync(descriptor, head, 0, bytes, 0)));
}

/** The last bytes of a regular file, at most `bytes`. Throws as `readRegularFile` does. */
export function readRegularTail(path: string, bytes: number): Buffer {
	return withRegularFile(path, (descriptor, size) => {
		const tail = Buffer.allocUnsafe(Math.min(bytes, size));
		return tail.subarray(0, readSync(descriptor, tail, 0, tail.length, size - tail.length));
	});
}

/** Opens without blocking: a pipe without a writer would block. */
function withRegularFile(
	path: string,
	read: (descriptor: number, size: number) => Buffer,
	flags: number = 0,
): Buffer {
	const { O_RDONLY, O_NONBLOCK } = constants;
	const descriptor = openSync(path, O_RDONLY | (O_NONBLOCK ?? 0) | flags);
	try {
		const found = fstatSync(descriptor);
		if (!found.isFile()) throw notRegular(path, found);
		return read(descriptor, found.size);
	} finally {
		closeSync(descriptor);
	}
}

/** Reads to the end, never past the limit: a file under /proc has size 0, and a file may grow meanwhile. */
function readUpTo(descriptor: number, path: string, limitBytes: number, expected: number): Buffer {
	const parts: Buffer[] = [];
	let length = 0;
	for (;;) {
		const part = Buffer.allocUnsafe(Math.max(expected - length + 1, 4096));
		const count = readSync(descriptor, part, 0, part.length, null);
		length += count;
		if (length > limitBytes) throw tooLarge(path, limitBytes);
		parts.push(part.subarray(0, count));
		// A short read that completes the expected size was at the end.
		if (count === 0 || (length === expected && count < part.length)) return Buffer.concat(parts, length);
	}
}

function notRegular(path: string, found: Stats): OrchestraError {
	const kind = found.isDirectory() ? 'a folder' : found.isFIFO() ? 'a named pipe' : 'a device or socket';
	return new OrchestraError('bad_input', `${path} is ${kind}, not a regular file`, {
		hint: 'Replace it by a regular file.',
		data: { path },
	});
}

function tooLarge(path: string, limitBytes: number): OrchestraError {
	return new OrchestraError('bad_input', `${path} is larger than ${limitBytes} bytes`, {
		hint: 'Make it smaller.',
		data: { path, limitBytes },
	});
}
