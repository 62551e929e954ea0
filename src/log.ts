/*
 * Log lines on stderr, never on stdout: stdout belongs to the protocol.
 *
 * One line per event, `[time] [LEVEL] [component] message`, or one JSON object per
 * line. A message cannot forge a line: newlines and control characters are escaped. Secrets are replaced.
 */
import { LOGGED_ONCE_LIMIT } from './core-limits.ts';
import { printableJson, printableLine } from './printable.ts';
import { redact } from './redact.ts';

/** Severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Where and how a `Log` writes. */
export interface LogOptions {
	/** Lowest level written; errors always are. */
	level: LogLevel;
	format: 'text' | 'json';
	/** Receives one line, newline included. */
	write: (line: string) => void;
	now: () => Date;
	/** Rewrites each message before it is written. */
	redact?: ((message: string) => string) | undefined;
}

/** Writes log lines of one component. */
export class Log {
	readonly #component: string;
	readonly #options: LogOptions;

	constructor(component: string, options: LogOptions) {
		this.#component = component;
		this.#options = options;
	}

	/** A log that discards everything; the default in the library. */
	static readonly silent: Log = new Log('', {
		level: 'error',
		format: 'text',
		write: () => {},
		now: () => new Date(0),
	});

	/** The log of this process, configured by `LOG_LEVEL` and `LOG_FORMAT`. Writes to stderr by default. */
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

	/** The same log with `redact` applied to each message. */
	redacted(redact: (message: string) => string): Log {
		return new Log(this.#component, { ...this.#options, redact });
	}

	/** True when debug lines are written; check it before you build an expensive message. */
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
		if (rank[level] < rank[this.#options.level]) return;
		const message = redact(this.#options.redact?.(text) ?? text);
		const time = this.#options.now().toISOString();
		const component = this.#component;
		const line =
			this.#options.format === 'json'
				? printableJson({ time, level, component, message })
				: `[${time}] [${level.toUpperCase()}] [${printableLine(component)}] ${printableLine(message)}`;
		this.#options.write(`${line}\n`);
	}
}

/** Logs each text once, as far as the last ones are remembered. Returns whether it was new. */
export function loggedOnce(write: (text: string) => void = () => {}): (text: string) => boolean {
	const known = new Set<string>();
	return (text) => {
		if (known.has(text)) return false;
		const [oldest] = known;
		if (oldest !== undefined && known.size >= LOGGED_ONCE_LIMIT) known.delete(oldest);
		known.add(text);
		write(text);
		return true;
	};
}

function isLevel(text: string): text is LogLevel {
	return Object.hasOwn(rank, text);
}
