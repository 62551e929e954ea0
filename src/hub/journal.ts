/*
 * The journal: one line for each call, who, what, when, how long, and how it ended.
 *
 * NDJSON in a file that only its owner can read, rotated by size. Arguments and
 * results are never written: they may hold secrets, and they may be large. A journal
 * that cannot be written costs a warning, never a call.
 */
import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** Size at which a new file is begun; the last one is kept beside it as `.1`. */
export const JOURNAL_BYTES: number = 8 * 1024 * 1024;
/** Lines that may wait for a slow disk before more are dropped. */
const WAITING_BYTES = 1024 * 1024;

export interface JournalEntry {
	readonly client: string;
	readonly backend: string;
	readonly method: string;
	readonly name: string;
	readonly startedAt: Date;
	readonly ms: number;
	readonly outcome: 'ok' | 'failed' | 'error' | 'canceled';
	/** The message of an error; never arguments or results. */
	readonly error?: string | undefined;
}

export interface Journal {
	write(entry: JournalEntry): void;
	close(): Promise<void>;
}

/** Writes nothing. */
export const noJournal: Journal = { write: () => {}, close: () => Promise.resolve() };

export class FileJournal implements Journal {
	readonly #file: string;
	readonly #log: Log;
	#stream: WriteStream | undefined;
	#size = 0;
	#hasWarned = false;

	constructor(file: string, log: Log) {
		this.#file = file;
		this.#log = log;
	}

	write({ startedAt, ...entry }: JournalEntry): void {
		const line = `${JSON.stringify({ at: startedAt.toISOString(), ...entry })}\n`;
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
		if (this.#stream && this.#size + bytes <= JOURNAL_BYTES) return this.#stream;
		try {
			this.#stream?.end();
			mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
			this.#size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
			if (this.#size + bytes > JOURNAL_BYTES) this.#rotate();
			this.#stream = createWriteStream(this.#file, { flags: 'a', mode: 0o600 });
			this.#stream.on('error', (error) => this.#giveUp(error));
		} catch (error) {
			this.#giveUp(error);
		}
		return this.#stream;
	}

	#rotate(): void {
		renameSync(this.#file, `${this.#file}.1`);
		this.#size = 0;
	}

	#giveUp(error: unknown): void {
		this.#stream = undefined;
		if (!this.#hasWarned) this.#log.warn(`the journal ${this.#file} cannot be written: ${messageOf(error)}`);
		this.#hasWarned = true;
	}
}
