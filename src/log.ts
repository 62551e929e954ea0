/*
 * Log lines on stderr, never on stdout: stdout belongs to the protocol.
 *
 * One line an event, `[time] [LEVEL] [component] message`, or one JSON object a
 * line for machines. A message cannot forge a line: newlines and control
 * characters in it are shown as codes. Warnings and errors always show; the level only decides
 * about the talkative ones.
 */
import { printableJson, printableLine } from './printable.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

export interface LogOptions {
	/** Least level shown; `warn` and `error` show whatever it says. */
	level: LogLevel;
	format: 'text' | 'json';
	/** Takes one finished line, newline included. */
	write: (line: string) => void;
	now: () => Date;
	/** Changes each message before it is written. */
	redact?: ((message: string) => string) | undefined;
}

export class Log {
	readonly #component: string;
	readonly #options: LogOptions;

	constructor(component: string, options: LogOptions) {
		this.#component = component;
		this.#options = options;
	}

	/** A log that drops everything: the default of every library part. */
	static readonly silent: Log = new Log('', {
		level: 'error',
		format: 'text',
		write: () => {},
		now: () => new Date(0),
	});

	/** The log of this process: stderr unless told otherwise, set by `LOG_LEVEL` and `LOG_FORMAT`. */
	static fromEnvironment(
		component: string,
		environment: Readonly<NodeJS.ProcessEnv> = process.env,
		write: (line: string) => void = (line) => void process.stderr.write(line),
	): Log {
		const level = environment['LOG_LEVEL']?.toLowerCase() ?? '';
		return new Log(component, {
			level: isLevel(level) ? level : 'info',
			format: environment['LOG_FORMAT'] === 'json' ? 'json' : 'text',
			write,
			now: () => new Date(),
		});
	}

	/** The same log under another component name. */
	named(component: string): Log {
		return new Log(component, this.#options);
	}

	/** The same log, but each message passes through `redact` first. */
	redacted(redact: (message: string) => string): Log {
		return new Log(this.#component, { ...this.#options, redact });
	}

	/** True when debug lines show; ask before building an expensive one. */
	get isDebug(): boolean {
		return this.#options.level === 'debug';
	}

	debug(message: string): void {
		this.#line('debug', message);
	}

	info(message: string): void {
		this.#line('info', message);
	}

	warn(message: string): void {
		this.#line('warn', message);
	}

	error(message: string): void {
		this.#line('error', message);
	}

	#line(level: LogLevel, text: string): void {
		if (rank[level] < Math.min(rank[this.#options.level], rank.warn)) return;
		const message = this.#options.redact?.(text) ?? text;
		const time = this.#options.now().toISOString();
		const component = this.#component;
		const line =
			this.#options.format === 'json'
				? printableJson({ time, level, component, message })
				: `[${time}] [${level.toUpperCase()}] [${printableLine(component)}] ${printableLine(message)}`;
		this.#options.write(`${line}\n`);
	}
}

function isLevel(word: string): word is LogLevel {
	return Object.hasOwn(rank, word);
}
