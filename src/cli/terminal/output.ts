/*
 * The output of a command: stdout is the answer, stderr is everything else.
 *
 * A reader that goes away (`| head -1`) is not an error: what is written to a
 * closed stdout is dropped, and `isClosed` lets a long command stop early.
 *
 * Nothing that reaches a terminal holds a control character that we did not write:
 * text from outside goes through `printable` where it is put into a line, and the
 * terminal gets no escape sequence but those of our own styles, should one be forgotten.
 */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { styleText } from 'node:util';
import { isCode, OrchestraError } from '../../errors.ts';
import { Log } from '../../log.ts';
import { printable, printableJson } from '../../printable.ts';
import { redact, redactJson } from '../../redact.ts';

const styleNames = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'cyan'] as const;

/** Where a command writes: a pipe, a file, or a terminal with its width. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Where a command reads. */
export type InputStream = Readable & { readonly isTTY?: boolean };

export type StyleName = (typeof styleNames)[number];

/** Lines of a message after its first are indented, so that none passes for a line of ours. */
const CONTINUATION = '\n  ';

/** Errors of a device that takes no more. */
const fullCodes = ['ENOSPC', 'EDQUOT', 'EFBIG'] as const;

export class Output {
	readonly #stdout: OutputStream;
	readonly #stderr: OutputStream;
	readonly #environment: Readonly<NodeJS.ProcessEnv>;
	readonly #answerDecoder = new StringDecoder();
	readonly #foreignDecoder = new StringDecoder();
	#isClosed = false;
	#isQuiet = false;
	#unwritten: Error | undefined;

	constructor(stdout: OutputStream, stderr: OutputStream, environment: Readonly<NodeJS.ProcessEnv>) {
		this.#stdout = stdout;
		this.#stderr = stderr;
		this.#environment = environment;
		stdout.on('error', (error) => {
			this.#isClosed = true;
			if (isCode(error, ...fullCodes)) this.#unwritten ??= error;
		});
		// A broken stderr cannot be reported.
		stderr.on('error', () => {});
	}

	/** True when stdout is closed. */
	get isClosed(): boolean {
		return this.#isClosed;
	}

	/** Leave out all lines of `info` from now on, for `--quiet`. */
	silence(): void {
		this.#isQuiet = true;
	}

	/** True when lines of `info` and progress are left out. */
	get isQuiet(): boolean {
		return this.#isQuiet;
	}

	/** Why a part of the answer is lost: the device is full. Undefined when it is not; a reader that went away is no error. */
	get unwritten(): OrchestraError | undefined {
		if (this.#unwritten === undefined) return undefined;
		const message = `the answer could not be written to stdout: ${this.#unwritten.message}`;
		const hint = 'Free space on the device, or write the answer elsewhere.';
		return new OrchestraError('io', message, { cause: this.#unwritten, hint });
	}

	/** True when stdout is a terminal. */
	get isTerminal(): boolean {
		return this.#stdout.isTTY === true;
	}

	/** True when stderr is a terminal: progress may be drawn there. */
	get hasLiveStderr(): boolean {
		return this.#stderr.isTTY === true;
	}

	/** Columns of the terminal; 80 in a pipe. */
	get width(): number {
		return this.#stdout.columns ?? 80;
	}

	/** One line of the answer. */
	line(text = ''): void {
		void this.write(`${text}\n`);
	}

	/** Lines of the answer that come from outside: as they are in a pipe, printable on a terminal. */
	foreign(text: string): void {
		this.line(this.isTerminal ? printable(text) : text);
	}

	/** A piece of the answer, untouched in a pipe. Resolves when the operating system has it. */
	write(text: string | Uint8Array): Promise<void> {
		if (this.#isClosed) return Promise.resolve();
		const piece = this.isTerminal ? this.#safe(this.#stdout, decoded(this.#answerDecoder, text)) : text;
		return new Promise((resolve) => this.#stdout.write(piece, () => resolve()));
	}

	/** Our own control sequences in the answer, for an image on a terminal. Never text from outside. */
	draw(sequences: string): void {
		if (!this.#isClosed && this.isTerminal) this.#stdout.write(sequences);
	}

	/** The answer as one JSON object on one line. */
	json(value: unknown): void {
		this.line(printableJson(value));
	}

	/** A line beside the answer; `--quiet` leaves it out. */
	info(text: string): void {
		if (!this.#isQuiet) this.warn(text);
	}

	/** A line beside the answer that says why the command failed, or what the user has to do now. */
	warn(text: string): void {
		this.#stderr.write(`${this.#safe(this.#stderr, text)}\n`);
	}

	/** Our own control sequences beside the answer, for progress that redraws itself. Never text from outside. */
	live(text: string): void {
		this.#stderr.write(text);
	}

	/** The policy for the stderr of a child: in a pipe, with backpressure. */
	get childStderr(): Writable | ((chunk: Uint8Array) => void) {
		return this.hasLiveStderr ? (chunk) => this.foreignStderr(chunk) : this.#stderr;
	}

	/** The stderr of a program that we started: as it is in a pipe, printable on a terminal. */
	foreignStderr(chunk: Uint8Array): void {
		if (!this.hasLiveStderr) this.#stderr.write(chunk);
		else
			this.#stderr.write(printable(this.#foreignDecoder.write(Buffer.from(chunk)).replace(/\r\n?/g, '\n')));
	}

	/** A log beside the answer, with `LOG_LEVEL` and `LOG_FORMAT` of `environment`. */
	log(component: string, environment: Readonly<NodeJS.ProcessEnv> = this.#environment): Log {
		return Log.fromEnvironment(component, environment, (line) => void this.#stderr.write(line));
	}

	/** Messages that pass a transport, for `ORCHESTRA_TRACE`. */
	readonly trace = (direction: '→' | '←', text: string): void => this.warn(`${direction} ${printable(text)}`);

	/** An error with its hint, without secrets, or as JSON for programs. */
	error(error: OrchestraError, asJson: boolean): void {
		const { code, message, hint, data } = error;
		if (asJson) return this.warn(printableJson(redactJson({ error: { code, message, hint, data } })));
		this.warn(`mctl: ${indented(message)}`);
		if (hint !== undefined) this.warn(`hint: ${indented(hint)}`);
		if (code === 'spawn' && typeof data['path'] === 'string') this.warn(`PATH: ${indented(data['path'])}`);
	}

	/** `text` in a style, when stdout shows styles. */
	style(name: StyleName, text: string): string {
		return this.#styled(this.#stdout, name, text);
	}

	/** `text` in a style, when stderr shows styles. */
	stderrStyle(name: StyleName, text: string): string {
		return this.#styled(this.#stderr, name, text);
	}

	#styled(stream: OutputStream, name: StyleName, text: string): string {
		return this.#hasStyles(stream) ? inStyle(name, text) : text;
	}

	#safe(stream: OutputStream, text: string): string {
		return this.#hasStyles(stream) ? withStyles(text) : printable(text);
	}

	#hasStyles(stream: OutputStream): boolean {
		const { NO_COLOR, TERM } = this.#environment;
		return stream.isTTY === true && (NO_COLOR ?? '') === '' && TERM !== 'dumb';
	}
}

/** The sequences that `style` writes, and no others; known at first use. */
let knownSequences: ReadonlySet<string> | undefined;

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const STYLE_SEQUENCE = /(\u001B\[\d+m)/;

function withStyles(text: string): string {
	const styles = (knownSequences ??= new Set(styleNames.flatMap((name) => inStyle(name, '|').split('|'))));
	return text
		.split(STYLE_SEQUENCE)
		.map((part) => (styles.has(part) ? part : printable(part)))
		.join('');
}

/** Whether the stream shows styles was decided before. */
function inStyle(name: StyleName, text: string): string {
	return styleText(name, text, { validateStream: false });
}

function indented(text: string): string {
	return printable(redact(text)).trimEnd().replaceAll('\n', CONTINUATION);
}

function decoded(decoder: StringDecoder, text: string | Uint8Array): string {
	return typeof text === 'string' ? text : decoder.write(Buffer.from(text));
}
