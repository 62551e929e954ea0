/*
 * Where a command speaks: stdout is the answer, stderr is everything else.
 *
 * A reader that goes away (`| head -1`) is not an error: what is written to a
 * closed stdout is dropped, and `isClosed` lets a long command stop early.
 */
import type { OrchestraError } from '../errors.ts';

export class Output {
	readonly #stdout: NodeJS.WriteStream;
	readonly #stderr: NodeJS.WriteStream;
	readonly #environment: Readonly<NodeJS.ProcessEnv>;
	#isClosed = false;

	constructor(
		stdout: NodeJS.WriteStream,
		stderr: NodeJS.WriteStream,
		environment: Readonly<NodeJS.ProcessEnv>,
	) {
		this.#stdout = stdout;
		this.#stderr = stderr;
		this.#environment = environment;
		stdout.on('error', () => {
			this.#isClosed = true;
		});
		// Nobody is left to be told about a broken stderr.
		stderr.on('error', () => {});
	}

	/** True when the reader of stdout went away. */
	get isClosed(): boolean {
		return this.#isClosed;
	}

	/** True when a person looks at stdout. */
	get isTerminal(): boolean {
		return this.#stdout.isTTY;
	}

	/** True when a person looks at stderr: progress may be drawn there. */
	get hasLiveStderr(): boolean {
		return this.#stderr.isTTY;
	}

	/** Columns of the terminal; 80 in a pipe. */
	get width(): number {
		return this.#stdout.columns ?? 80;
	}

	/** One line of the answer. */
	line(text = ''): void {
		void this.write(`${text}\n`);
	}

	/** A piece of the answer as it is. Resolves when it is with the operating system. */
	write(text: string | Uint8Array): Promise<void> {
		if (this.#isClosed) return Promise.resolve();
		return new Promise((resolve) => this.#stdout.write(text, () => resolve()));
	}

	/** The answer as one JSON object on one line. */
	json(value: unknown): void {
		this.line(JSON.stringify(value));
	}

	/** A line beside the answer. */
	note(text: string): void {
		this.#stderr.write(`${text}\n`);
	}

	/** Raw text beside the answer, for progress that redraws itself. */
	live(text: string | Uint8Array): void {
		this.#stderr.write(text);
	}

	/** An error with its hint, or as JSON for programs. */
	error(error: OrchestraError, asJson: boolean): void {
		const { code, message, hint, data } = error;
		if (asJson) return this.note(JSON.stringify({ error: { code, message, hint, data } }));
		this.note(`mctl: ${message}`);
		if (hint !== undefined) this.note(`hint: ${hint}`);
		if (code === 'spawn' && typeof data['path'] === 'string') this.note(`PATH: ${data['path']}`);
	}

	/** `text` in a style, when stdout shows styles. */
	style(name: StyleName, text: string): string {
		return this.#styled(this.#stdout, name, text);
	}

	/** `text` in a style, when stderr shows styles. */
	noteStyle(name: StyleName, text: string): string {
		return this.#styled(this.#stderr, name, text);
	}

	#styled(stream: NodeJS.WriteStream, name: StyleName, text: string): string {
		const { NO_COLOR, TERM } = this.#environment;
		if (!stream.isTTY || (NO_COLOR ?? '') !== '' || TERM === 'dumb') return text;
		const [open, close] = styles[name];
		return `\u001B[${open}m${text}\u001B[${close}m`;
	}
}

const styles = {
	bold: [1, 22],
	dim: [2, 22],
	red: [31, 39],
	green: [32, 39],
	yellow: [33, 39],
	blue: [34, 39],
	cyan: [36, 39],
} as const;

export type StyleName = keyof typeof styles;
