/*
 * The stderr of one MCP server without secrets: the last part in memory, everything in a
 * rotated file.
 *
 * A server may flood its stderr; the file gets a bounded number of lines per second.
 */
import { StringDecoder } from 'node:string_decoder';
import { messageOf } from '../../../errors.ts';
import { RotatingFile } from '../../../files/rotating-file.ts';
import type { Log } from '../../../log.ts';
import { redact } from '../../../redact.ts';
import { rateLimited } from '../../log-rate.ts';

/** How much of the stderr is kept in memory, in characters. */
export const RING_CHARACTERS: number = 256 * 1024;
/** Longest line; the rest of it is cut. */
const LINE_CHARACTERS = 8 * 1024;
/** How much of a line is searched for secrets before it is cut. */
const RAW_LINE_CHARACTERS = 2 * LINE_CHARACTERS;
/** Size of the file at which it is rotated. */
const LOG_FILE_BYTES: number = 4 * 1024 * 1024;

export class ServerLog {
	readonly file: string;
	readonly #write: (line: string) => void;
	readonly #rotating: RotatingFile;
	readonly #lines: string[] = [];
	#characters = 0;

	/** @param log receives one warning when the file cannot be written */
	constructor(file: string, log: Log) {
		this.file = file;
		let hasFailed = false;
		const onError = (error: unknown): void => {
			if (!hasFailed) log.warn(`${file} could not be written: ${messageOf(error)}`);
			hasFailed = true;
		};
		this.#rotating = new RotatingFile(file, LOG_FILE_BYTES, onError, (warning) => log.warn(warning));
		this.#write = rateLimited((line) => this.#rotating.write(`${new Date().toISOString()} ${line}\n`));
	}

	/** The last lines, oldest first. */
	last(count: number): string[] {
		return this.#lines.slice(-count);
	}

	/** A line of our own: the server started or ended. */
	note(line: string): void {
		this.#write(`[orchestra] ${redact(line)}`);
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
		this.#lines.push(line);
		this.#characters += line.length;
		while (this.#characters > RING_CHARACTERS) this.#characters -= this.#lines.shift()?.length ?? 0;
		this.#write(`[${pid ?? '-'}] ${line}`);
	}
}

function keptPart(line: string): string {
	return redact(line.replace(/\r$/, '').slice(0, RAW_LINE_CHARACTERS)).slice(0, LINE_CHARACTERS);
}
