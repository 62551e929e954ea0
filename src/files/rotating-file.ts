/*
 * Appends lines to a file that only its owner can read, and rotates it when it is
 * large; one old file stays as `.1`.
 *
 * Lines are buffered for one tick of the event loop and written together. The write is
 * synchronous: memory stays bounded in any burst, and no line is dropped or reordered
 * at a rotation. A failing disk loses lines but never fails the caller.
 */
import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../log.ts';
import { ROTATING_FILE_BUFFER_BYTES } from './files-limits.ts';
import { makeFolders } from './make-folders.ts';
import { makePrivate } from './private-path.ts';

export class RotatingFile {
	readonly #file: string;
	readonly #limitBytes: number;
	readonly #onError: (error: unknown) => void;
	readonly #log: Pick<Log, 'warn'> | undefined;
	#descriptor: number | undefined;
	/** The size of the open file, in bytes. */
	#size = 0;
	#buffer: string[] = [];
	#bufferBytes = 0;
	#flushing: NodeJS.Immediate | undefined;

	/**
	 * @param onError is called when the file cannot be written
	 * @param log warns when others could read the file, which is repaired. Default: stderr
	 */
	constructor(file: string, limitBytes: number, onError: (error: unknown) => void, log?: Pick<Log, 'warn'>) {
		this.#file = file;
		this.#limitBytes = limitBytes;
		this.#onError = onError;
		this.#log = log;
	}

	/** Append one line, newline included. A line longer than the limit gets its own file. */
	write(line: string): void {
		const bytes = Buffer.byteLength(line);
		this.prepare(bytes);
		this.#buffer.push(line);
		this.#bufferBytes += bytes;
		if (this.#bufferBytes >= ROTATING_FILE_BUFFER_BYTES) this.flush();
		else this.#flushing ??= setImmediate(() => this.flush());
	}

	/** Make room for so many bytes. True when they will be the first of a file. */
	prepare(bytes: number): boolean {
		const fits = this.#descriptor !== undefined && this.#size + this.#bufferBytes + bytes <= this.#limitBytes;
		if (!fits) {
			this.flush();
			this.#open(bytes);
		}
		return this.#size + this.#bufferBytes === 0;
	}

	/** Append lines at once, after what is buffered. False when they could not be written. */
	append(lines: string): boolean {
		this.flush();
		this.prepare(Buffer.byteLength(lines));
		return this.#write(Buffer.from(lines));
	}

	/** Write what is buffered. */
	flush(): void {
		clearImmediate(this.#flushing);
		this.#flushing = undefined;
		const bytes = Buffer.from(this.#buffer.join(''));
		this.#buffer = [];
		this.#bufferBytes = 0;
		if (bytes.length > 0) this.#write(bytes);
	}

	async close(): Promise<void> {
		this.flush();
		this.#closeFile();
	}

	#write(bytes: Buffer): boolean {
		if (this.#descriptor === undefined) return false; // it could not be opened
		try {
			for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
			this.#size += bytes.length;
			return true;
		} catch (error) {
			this.#closeFile();
			this.#onError(error);
			return false;
		}
	}

	/** Open a file that has room for this many bytes. */
	#open(bytes: number): void {
		try {
			if (this.#descriptor === undefined) {
				makeFolders(dirname(this.#file), 0o700);
				makePrivate(this.#file, 0o600, this.#log);
				this.#size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
			}
			if (this.#size + bytes > this.#limitBytes) this.#rotate();
			this.#descriptor ??= openSync(this.#file, 'a', 0o600);
		} catch (error) {
			this.#closeFile();
			this.#onError(error);
		}
	}

	#rotate(): void {
		this.#closeFile();
		if (this.#size > 0 && existsSync(this.#file)) renameSync(this.#file, `${this.#file}.1`);
		this.#size = 0;
	}

	#closeFile(): void {
		if (this.#descriptor !== undefined) closeSync(this.#descriptor);
		this.#descriptor = undefined;
	}
}
