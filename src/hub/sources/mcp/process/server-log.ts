/*
 * The stderr of one MCP server without secrets: the last part in memory, everything in a
 * rotated file. Lines of stdout that are no messages, and events that the hub logs, are beside it.
 *
 * A server may flood its stderr; the file gets a bounded number of lines per second.
 */
import { messageOf } from '../../../../errors.ts';
import { RotatingFile } from '../../../../files/rotating-file.ts';
import type { Log } from '../../../../log.ts';
import { TextLines } from '../../../../wire/text-lines.ts';
import { rateLimited } from '../../../log-rate.ts';
import { LOG_FILE_BYTES, RAW_LINE_CHARACTERS } from '../../source-limits.ts';
import { SourceLog } from '../../source-log.ts';

export class ServerLog {
	readonly file: string;
	readonly lines: SourceLog = new SourceLog();
	readonly #write: (line: string) => void;
	readonly #rotating: RotatingFile;

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

	/** A line of our own: the server started or ended. */
	event(line: string): void {
		this.#write(`[orchestra] ${this.lines.add('hub', line)}`);
	}

	/** A line of stdout that is no message. */
	stray(line: string): void {
		this.lines.add('stdout', line);
	}

	/** A reader for the stderr of one process. */
	reader(pid: () => number | undefined): { add: (chunk: Buffer) => void; end: () => void } {
		const text = new TextLines(RAW_LINE_CHARACTERS);
		const add = (lines: readonly string[]): void => {
			for (const line of lines) this.#add(line, pid());
		};
		return { add: (chunk) => add(text.push(chunk)), end: () => add(text.end()) };
	}

	close(): Promise<void> {
		return this.#rotating.close();
	}

	#add(line: string, pid: number | undefined): void {
		const logged = this.lines.add('stderr', line);
		if (logged !== '') this.#write(`[${pid ?? '-'}] ${logged}`);
	}
}
