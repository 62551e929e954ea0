/*
 * Lines appended to a file that only its owner can read, rotated when it is large;
 * the last one is kept beside it as `.1`.
 *
 * Lines are collected for one turn of the event loop and written in one go. The write
 * is synchronous: memory stays bounded in any burst, no line is dropped and none
 * changes its place at a rotation. Only a disk that refuses costs lines, never the
 * work that they tell of.
 */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Collected lines are written at once when they reach this size. */
const COLLECTED_BYTES = 64 * 1024;

export class RotatingFile {
	readonly #file: string;
	readonly #limitBytes: number;
	readonly #onError: (error: unknown) => void;
	#descriptor: number | undefined;
	/** Of the open file, in bytes. */
	#size = 0;
	#collected: string[] = [];
	#collectedBytes = 0;
	#flushing: NodeJS.Immediate | undefined;

	/** @param onError is called when the file cannot be written */
	constructor(file: string, limitBytes: number, onError: (error: unknown) => void) {
		this.#file = file;
		this.#limitBytes = limitBytes;
		this.#onError = onError;
	}

	/** Append one line, newline included. A line longer than the limit has a file of its own. */
	write(line: string): void {
		const bytes = Buffer.byteLength(line);
		const fits =
			this.#descriptor !== undefined && this.#size + this.#collectedBytes + bytes <= this.#limitBytes;
		if (!fits) {
			this.#flush();
			this.#open(bytes);
		}
		this.#collected.push(line);
		this.#collectedBytes += bytes;
		if (this.#collectedBytes >= COLLECTED_BYTES) this.#flush();
		else this.#flushing ??= setImmediate(() => this.#flush());
	}

	async close(): Promise<void> {
		this.#flush();
		this.#leave();
	}

	#flush(): void {
		clearImmediate(this.#flushing);
		this.#flushing = undefined;
		const bytes = Buffer.from(this.#collected.join(''));
		this.#collected = [];
		this.#collectedBytes = 0;
		if (bytes.length === 0 || this.#descriptor === undefined) return;
		try {
			for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
			this.#size += bytes.length;
		} catch (error) {
			this.#leave();
			this.#onError(error);
		}
	}

	/** Make sure that a file is open that has room for this many bytes. */
	#open(bytes: number): void {
		try {
			if (this.#descriptor === undefined) {
				mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
				this.#size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
			}
			if (this.#size + bytes > this.#limitBytes) this.#rotate();
			this.#descriptor ??= openSync(this.#file, 'a', 0o600);
		} catch (error) {
			this.#leave();
			this.#onError(error);
		}
	}

	#rotate(): void {
		this.#leave();
		if (this.#size > 0 && existsSync(this.#file)) renameSync(this.#file, `${this.#file}.1`);
		this.#size = 0;
	}

	#leave(): void {
		if (this.#descriptor !== undefined) closeSync(this.#descriptor);
		this.#descriptor = undefined;
	}
}
