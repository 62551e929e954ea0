/*
 * Lines appended to a file that only its owner can read, begun anew when it is
 * large; the last one is kept beside it as `.1`. A disk that is full or slow costs
 * lines, never the work that they tell of.
 *
 * The size is counted here while a file is open: lines that still wait for the disk
 * are not yet in the size that the disk tells. The file is opened at once, so that
 * waiting lines go where they were counted, even when it is renamed before they are written.
 */
import {
	createWriteStream,
	existsSync,
	mkdirSync,
	openSync,
	renameSync,
	statSync,
	type WriteStream,
} from 'node:fs';
import { dirname } from 'node:path';

/** Lines that may wait for a slow disk before more are dropped, in bytes. */
const WAITING_BYTES = 1024 * 1024;

export class RotatingFile {
	readonly #file: string;
	readonly #limitBytes: number;
	readonly #onError: (error: unknown) => void;
	#stream: WriteStream | undefined;
	#size = 0;
	/** Done when every file that was left has all its lines. */
	#left: Promise<void> = Promise.resolve();

	/** @param onError is told when the file cannot be written */
	constructor(file: string, limitBytes: number, onError: (error: unknown) => void) {
		this.#file = file;
		this.#limitBytes = limitBytes;
		this.#onError = onError;
	}

	/** Append one line, newline included. A line longer than the limit has a file of its own. */
	write(line: string): void {
		const bytes = Buffer.byteLength(line);
		const stream = this.#open(bytes);
		if (stream === undefined || stream.writableLength > WAITING_BYTES) return;
		this.#size += bytes;
		stream.write(line);
	}

	async close(): Promise<void> {
		this.#leave();
		await this.#left;
	}

	#open(bytes: number): WriteStream | undefined {
		if (this.#stream && this.#size + bytes <= this.#limitBytes) return this.#stream;
		try {
			if (this.#stream === undefined) {
				mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
				this.#size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
			}
			if (this.#size + bytes > this.#limitBytes) this.#rotate();
			this.#stream ??= this.#append();
		} catch (error) {
			this.#leave();
			this.#onError(error);
		}
		return this.#stream;
	}

	#append(): WriteStream {
		const stream = createWriteStream(this.#file, { fd: openSync(this.#file, 'a', 0o600) });
		stream.on('error', (error) => {
			if (this.#stream === stream) this.#stream = undefined;
			this.#onError(error);
		});
		return stream;
	}

	#rotate(): void {
		this.#leave();
		if (this.#size > 0 && existsSync(this.#file)) renameSync(this.#file, `${this.#file}.1`);
		this.#size = 0;
	}

	#leave(): void {
		const stream = this.#stream;
		this.#stream = undefined;
		if (stream === undefined) return;
		const ended = new Promise<void>((resolve) => stream.end(() => resolve()));
		this.#left = Promise.all([this.#left, ended]).then(() => {});
	}
}
