/*
 * The stderr of one MCP server without secrets: the last part in memory, everything in a
 * rotated file. Lines of stdout that are no messages, and notes of the hub, are beside it.
 *
 * A server may flood its stderr; the file gets a bounded number of lines per second.
 */
import { StringDecoder } from 'node:string_decoder';
import { messageOf } from '../../../errors.ts';
import { RotatingFile } from '../../../files/rotating-file.ts';
import type { Log } from '../../../log.ts';
import { redact } from '../../../redact.ts';
import { rateLimited } from '../../log-rate.ts';
import type { ServerLine, ServerLines } from '../backend.ts';

/** How much of the stderr is kept in memory, in characters. */
export const RING_CHARACTERS: number = 256 * 1024;
/** Longest line; the rest of it is cut. */
const LINE_CHARACTERS = 8 * 1024;
/** How much of a line is searched for secrets before it is cut. */
const RAW_LINE_CHARACTERS = 2 * LINE_CHARACTERS;
/** Size of the file at which it is rotated. */
const LOG_FILE_BYTES: number = 4 * 1024 * 1024;

/** Lines that are kept in memory. */
const RING_LINES = 5000;
/** Notes of the hub that are kept apart. */
const KEPT_NOTES = 100;

export class ServerLog implements ServerLines {
	readonly file: string;
	readonly #write: (line: string) => void;
	readonly #rotating: RotatingFile;
	#lines: ServerLine[] = [];
	readonly #notes: ServerLine[] = [];
	readonly #listeners = new Set<(line: ServerLine) => void>();
	#characters = 0;

	/** @param log receives one warning when the file cannot be written */
	constructor(file: string, log: Log) {
		this.file = file;
		let hasFailed = false;
		const onError = (error: unknown): void => {
			if (!hasFailed) log.warn(`${file} could not be written: ${messageOf(error)}`);
			hasFailed = true;
		};
		this.#rotating = new RotatingFile(file, LOG_FILE_BYTES, onError, log);
		this.#write = rateLimited((line) => this.#rotating.write(`${new Date().toISOString()} ${line}\n`));
	}

	last(count: number): readonly ServerLine[] {
		return this.#lines.slice(-count);
	}

	notes(): readonly ServerLine[] {
		return this.#notes;
	}

	/** The last lines of stderr, oldest first. */
	lastErrors(count: number): string[] {
		const lines = this.#lines.filter(({ stream }) => stream === 'stderr');
		return lines.slice(-count).map(({ text }) => text);
	}

	listen(listener: (line: ServerLine) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** A line of our own: the server started or ended. */
	note(line: string): void {
		const text = redact(line);
		this.#keep('hub', text);
		this.#write(`[orchestra] ${text}`);
	}

	/** A line of stdout that is no message. */
	stray(line: string): void {
		const text = keptPart(line);
		if (text !== '') this.#keep('stdout', text);
	}

	/** A reader for the stderr of one process. */
	reader(pid: () => number | undefined): (chunk: Buffer) => void {
		const decoder = new StringDecoder('utf8');
		let partial = '';
		return (chunk) => {
			const lines = (partial + decoder.write(chunk)).split('\n');
			partial = (lines.pop() ?? '').slice(0, RAW_LINE_CHARACTERS);
			for (const line of lines) this.#add(keptPart(line), pid());
		};
	}

	close(): Promise<void> {
		return this.#rotating.close();
	}

	#add(line: string, pid: number | undefined): void {
		if (line === '') return;
		this.#keep('stderr', line);
		this.#write(`[${pid ?? '-'}] ${line}`);
	}

	#keep(stream: ServerLine['stream'], text: string): void {
		const line = { at: Date.now(), stream, text };
		this.#lines.push(line);
		if (stream === 'hub' && this.#notes.push(line) > KEPT_NOTES) this.#notes.shift();
		this.#characters += text.length;
		if (this.#characters > RING_CHARACTERS || this.#lines.length > RING_LINES) this.#dropOldest();
		for (const listener of this.#listeners) listener(line);
	}

	/** An eighth more than necessary: not with every line. */
	#dropOldest(): void {
		let dropped = 0;
		const most = RING_CHARACTERS - RING_CHARACTERS / 8;
		while (this.#characters > most || this.#lines.length - dropped > RING_LINES - RING_LINES / 8)
			this.#characters -= this.#lines[dropped++]?.text.length ?? this.#characters;
		this.#lines = this.#lines.slice(dropped);
	}
}

function keptPart(line: string): string {
	return redact(line.replace(/\r$/, '').slice(0, RAW_LINE_CHARACTERS)).slice(0, LINE_CHARACTERS);
}
