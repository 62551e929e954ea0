/*
 * The journal: one line for each call, who, what, when, how long, and how it ended.
 *
 * Arguments and results are never written: they may hold secrets, and they may be
 * large. The same goes for what a URI carries beside its path: its query is the
 * arguments of a resource. A journal that cannot be written costs a warning, never a call.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Awaitable } from '../protocol/mcp-types.ts';
import { RotatingFile } from './rotating-file.ts';

/** Size at which a new file is begun. */
export const JOURNAL_BYTES: number = 8 * 1024 * 1024;

export interface JournalEntry {
	readonly client: string;
	readonly backend: string;
	readonly method: string;
	/** A tool, a prompt, or the URI of a resource; of a URI the query, fragment and user are left out. */
	readonly name: string;
	readonly startedAt: Date;
	readonly ms: number;
	readonly outcome: 'ok' | 'failed' | 'error' | 'canceled';
	/** The kind of an error, never its text: that may quote arguments. */
	readonly error?: string | undefined;
}

export interface Journal {
	write(entry: JournalEntry): void;
	close(): Promise<void>;
}

/** Writes nothing. */
export const noJournal: Journal = { write: () => {}, close: () => Promise.resolve() };

/** A journal in a file. */
export function fileJournal(file: string, log: Log): Journal {
	let hasWarned = false;
	const lines = new RotatingFile(file, JOURNAL_BYTES, (error) => {
		if (!hasWarned) log.warn(`the journal ${file} cannot be written: ${messageOf(error)}`);
		hasWarned = true;
	});
	return {
		write: ({ startedAt, ...entry }) => {
			const told = { at: startedAt.toISOString(), ...entry, name: withoutSecrets(entry.name) };
			lines.write(`${JSON.stringify(told)}\n`);
		},
		close: () => lines.close(),
	};
}

/** `scheme://user@host/path?query#fragment` becomes `scheme://…@host/path?…`; any other name stays as it is. */
function withoutSecrets(name: string): string {
	if (!/^[a-z][a-z\d+.-]*:/i.test(name)) return name;
	return name.replace(/([?#]).*$/s, '$1…').replace(/^([^:]*:\/\/)[^/]*@/, '$1…@');
}

/** Make a call and write one line about it. */
export function journaled<T extends object>(
	journal: Journal,
	about: Omit<JournalEntry, 'ms' | 'outcome' | 'error'>,
	call: () => Awaitable<T>,
): Awaitable<T> {
	const note = (outcome: JournalEntry['outcome'], error?: string): void =>
		journal.write({ ...about, ms: Date.now() - about.startedAt.getTime(), outcome, error });
	const onError = (error: unknown): never => {
		note(OrchestraError.is(error, 'canceled') ? 'canceled' : 'error', OrchestraError.from(error).code);
		throw error;
	};
	const onResult = (result: T): T => {
		note(hasFailed(result) ? 'failed' : 'ok');
		return result;
	};
	try {
		const result = call();
		return result instanceof Promise ? result.then(onResult, onError) : onResult(result);
	} catch (error) {
		return onError(error);
	}
}

/** A result of MCP, or an answer of the plugin protocol, that tells of a failure. */
function hasFailed(result: object): boolean {
	return (
		('isError' in result && result.isError === true) || ('success' in result && result.success === false)
	);
}
