/*
 * Lines appended to a file that only its owner can read, begun anew when it is
 * large; the last one is kept beside it as `.1`. A disk that is full or slow costs
 * lines, never the work that they tell of.
 */
import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

/** Lines that may wait for a slow disk before more are dropped, in bytes. */
const WAITING_BYTES = 1024 * 1024;

export class RotatingFile {
	readonly #file: string;
	readonly #limitBytes: number;
	readonly #onError: (error: unknown) => void;
	#stream: WriteStream | undefined;
	#size = 0;

	/** @param onError is told when the file cannot be written */
	constructor(file: string, limitBytes: number, onError: (error: unknown) => void) {
		this.#file = file;
		this.#limitBytes = limitBytes;
		this.#onError = onError;
	}

	/** Append one line, newline included. */
	write(line: string): void {
		const stream = this.#open(line.length);
		if (stream === undefined || stream.writableLength > WAITING_BYTES) return;
		this.#size += line.length;
		stream.write(line);
	}

	async close(): Promise<void> {
		const stream = this.#stream;
		this.#stream = undefined;
		if (stream) await new Promise<void>((resolve) => stream.end(() => resolve()));
	}

	#open(bytes: number): WriteStream | undefined {
		if (this.#stream && this.#size + bytes <= this.#limitBytes) return this.#stream;
		try {
			this.#stream?.end();
			mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
			this.#size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
			if (this.#size + bytes > this.#limitBytes) this.#rotate();
			this.#stream = createWriteStream(this.#file, { flags: 'a', mode: 0o600 });
			this.#stream.on('error', (error) => this.#giveUp(error));
		} catch (error) {
			this.#giveUp(error);
		}
		return this.#stream;
	}

	#rotate(): void {
		if (this.#size > 0) renameSync(this.#file, `${this.#file}.1`);
		this.#size = 0;
	}

	#giveUp(error: unknown): void {
		this.#stream = undefined;
		this.#onError(error);
	}
}
