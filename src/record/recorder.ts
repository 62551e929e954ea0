/*
 * Writes the messages of one connection to a recording.
 *
 * Each file can be replayed alone: when a file is full, the next one begins with the
 * handshake and the requests in flight. Lines are collected for one tick and written
 * synchronously, as those of the log are: memory is bounded, and no line is reordered.
 * A disk that fails ends the recording with a warning and never fails a call.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { attempt, isCode, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { redactArguments } from '../named-secrets.ts';
import { redactJson } from '../redact.ts';
import { isObject, parseJson } from '../wire/json.ts';
import { textAt } from '../wire/json-text.ts';
import { FilePreamble, type WrittenLine } from './file-preamble.ts';
import { RECORDED_MESSAGE_BYTES, RECORDER_BUFFER_CHARACTERS, RECORDING_BYTES } from './record-limits.ts';
import { makeRecordingsFolder, recordingPath, removeOldRecordings } from './recording-files.ts';
import { headerLine, messageLine, omittedLine, type Side } from './recording-format.ts';

export interface RecorderOptions {
	readonly folder: string;
	/** The name of the server, for the name of the file. */
	readonly server: string;
	readonly log: Pick<Log, 'warn'>;
	/** The folder is one that the user named: no file there is removed. */
	readonly keepsAll?: boolean | undefined;
	/** Size at which the next file begins. Default 16 MiB. */
	readonly limitBytes?: number | undefined;
}

export class Recorder {
	readonly #options: RecorderOptions;
	readonly #startedAt = new Date();
	readonly #origin = performance.now();
	readonly #preamble = new FilePreamble();
	#files = 0;
	#file: string | undefined;
	#descriptor: number | undefined;
	#size = 0;
	#lines: WrittenLine[] = [];
	#characters = 0;
	#writing: NodeJS.Immediate | undefined;
	#isOver = false;

	/** Makes the folder; the file is made with the first message. Throws when the folder cannot be used. */
	constructor(options: RecorderOptions) {
		this.#options = options;
		makeRecordingsFolder(options.folder);
	}

	/** The current file; undefined before the first message. */
	get file(): string | undefined {
		return this.#file;
	}

	/** Record one message. Anything that is not a JSON object or array is left out. */
	record(from: Side, text: string): void {
		if (this.#isOver) return;
		const value = valueOf(text);
		if (value === undefined) return;
		const at = performance.now() - this.#origin;
		const { id, method } = value as { id?: unknown; method?: unknown };
		this.#add({ from, id, method, line: lineOf(at, from, text, value) });
	}

	/** Write what is left. Idempotent. */
	close(): void {
		this.#write();
		this.#isOver = true;
		this.#closeFile();
	}

	#add(line: WrittenLine): void {
		this.#lines.push(line);
		this.#characters += line.line.length;
		if (this.#characters >= RECORDER_BUFFER_CHARACTERS) this.#write();
		else this.#writing ??= setImmediate(() => this.#write());
	}

	#write(): void {
		clearImmediate(this.#writing);
		this.#writing = undefined;
		const lines = this.#lines;
		this.#lines = [];
		this.#characters = 0;
		try {
			for (const line of lines) this.#writeLine(line);
		} catch (thrown) {
			this.#isOver = true;
			this.#closeFile();
			this.#options.log.warn(`the recording of ${this.#options.server} ends here: ${messageOf(thrown)}`);
		}
	}

	#writeLine(written: WrittenLine): void {
		const { limitBytes = RECORDING_BYTES } = this.#options;
		const bytes = Buffer.from(written.line);
		if (this.#size + bytes.length > limitBytes) this.#closeFile();
		if (this.#descriptor === undefined) {
			this.#open();
			for (const line of this.#preamble.lines) this.#append(Buffer.from(line));
		}
		this.#append(bytes);
		this.#preamble.add(written);
	}

	#append(bytes: Buffer): void {
		if (this.#descriptor === undefined) return;
		for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
		this.#size += bytes.length;
	}

	#open(): void {
		const { folder, server, keepsAll, limitBytes = RECORDING_BYTES } = this.#options;
		if (!keepsAll) removeOldRecordings(folder, server, limitBytes);
		const startedAt = this.#startedAt.toISOString();
		for (;;) {
			this.#file = recordingPath(folder, server, this.#startedAt, this.#files++);
			this.#descriptor = openNew(this.#file);
			if (this.#descriptor !== undefined) break;
		}
		this.#size = 0;
		this.#append(Buffer.from(headerLine({ server, startedAt, part: this.#files - 1 })));
	}

	#closeFile(): void {
		if (this.#descriptor !== undefined) closeSync(this.#descriptor);
		this.#descriptor = undefined;
	}
}

/** Undefined when there is such a file: another connection of this process began in the same millisecond. */
function openNew(file: string): number | undefined {
	try {
		return openSync(file, 'wx', 0o600);
	} catch (thrown) {
		if (isCode(thrown, 'EEXIST')) return undefined;
		throw thrown;
	}
}

function lineOf(at: number, from: Side, text: string, value: object): string {
	const isTooLong = text.length > RECORDED_MESSAGE_BYTES;
	if (isTooLong) return omittedLine(at, from, Buffer.byteLength(text), textAt(text, 'id'));
	const safe = redactJson(withSafeArguments(value));
	const isSame = safe === value && !/[\r\n]/.test(text);
	return messageLine(at, from, isSame ? text : JSON.stringify(safe));
}

/** A request without the secrets among its arguments. */
function withSafeArguments(value: object): object {
	const params = Reflect.get(value, 'params');
	const input: unknown = isObject(params) ? params['arguments'] : undefined;
	const safe = input === undefined ? undefined : redactArguments(input);
	return safe === input ? value : { ...value, params: { ...params, arguments: safe } };
}

function valueOf(text: string): object | undefined {
	// It may be a stray line.
	return attempt(() => {
		const value = parseJson(text);
		return isObject(value) || Array.isArray(value) ? value : undefined;
	});
}
