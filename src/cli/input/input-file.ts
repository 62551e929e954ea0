/*
 * The bytes of a file on the command line: `--input @file`, `--input -`, `key=@file`.
 *
 * A regular file is read at once. A pipe is legal too (`--input @<(make-input)`,
 * `@/dev/stdin`), and its writer may come late or never: it is opened without
 * blocking and read as a stream, so that Ctrl-C works at any moment. Devices and
 * folders are refused, and the size is bounded.
 */
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { OrchestraError } from '../../errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { INPUT_LIMIT_BYTES } from '../cli-limits.ts';

/** The bytes of a file or pipe. Errors of the system pass as they are. */
export async function readInputFile(path: string, signal?: AbortSignal): Promise<Buffer> {
	if (!statSync(path).isFIFO()) return readRegularFile(path, INPUT_LIMIT_BYTES);
	return readStream(openPipe(path), path, signal);
}

function openPipe(path: string): Readable {
	const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	if (fstatSync(descriptor).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false });
	closeSync(descriptor);
	throw new OrchestraError('bad_input', `${path} changed while it was opened`, { hint: 'Try again.' });
}

/** A stream up to its end; `source` is its name in errors. */
export async function readStream(stream: Readable, source: string, signal?: AbortSignal): Promise<Buffer> {
	const parts: Buffer[] = [];
	let length = 0;
	try {
		for await (const chunk of signal ? addAbortSignal(signal, stream) : stream) {
			// Neither stream has an encoding, so its chunks are bytes.
			const part = chunk as Buffer;
			length += part.length;
			if (length > INPUT_LIMIT_BYTES) throw tooLong(source);
			parts.push(part);
		}
	} catch (error) {
		signal?.throwIfAborted();
		throw error;
	}
	return Buffer.concat(parts, length);
}

function tooLong(source: string): OrchestraError {
	return new OrchestraError(
		'bad_input',
		`the input from ${source} is longer than ${INPUT_LIMIT_BYTES} bytes`,
		{
			hint: 'Give the tool the path of a file in place of its content.',
			data: { limitBytes: INPUT_LIMIT_BYTES },
		},
	);
}
