/*
 * The journal: one line for each call with its client, name, time, duration and outcome.
 *
 * Arguments and results are never written: they may contain secrets and may be large.
 * The same applies to the query of a URI, which holds the arguments of a resource. A
 * journal that cannot be written causes a warning and never fails a call.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Awaitable } from '../protocol/mcp-types.ts';
import { redactJson } from '../redact.ts';
import { RotatingFile } from './rotating-file.ts';

/** Size at which the file is rotated. */
export const JOURNAL_BYTES: number = 8 * 1024 * 1024;

/** One call in the journal. */
export interface JournalEntry {
	readonly client: string;
	readonly backend: string;
	readonly method: string;
	/** A tool, a prompt, or the URI of a resource without its query, fragment and user. */
	readonly name: string;
	readonly startedAt: Date;
	readonly ms: number;
	readonly outcome: 'ok' | 'failed' | 'error' | 'canceled';
	/** The code of an error, never its message: that may quote arguments. */
	readonly error?: string | undefined;
}

/** Receives one entry per call. */
export interface Journal {
	write(entry: JournalEntry): void;
	close(): Promise<void>;
}

/** Writes nothing. */
export const noJournal: Journal = { write: () => {}, close: () => Promise.resolve() };

/** A journal in a rotated file. */
export function fileJournal(file: string, log: Log): Journal {
	let hasWarned = false;
	const onError = (error: unknown): void => {
		if (!hasWarned) log.warn(`the journal ${file} cannot be written: ${messageOf(error)}`);
		hasWarned = true;
	};
	const lines = new RotatingFile(file, JOURNAL_BYTES, onError, (warning) => log.warn(warning));
	return {
		write: ({ startedAt, ...entry }) => {
			const record = { at: startedAt.toISOString(), ...entry, name: withoutSecrets(entry.name) };
			lines.write(`${JSON.stringify(redactJson(record))}\n`);
		},
		close: () => lines.close(),
	};
}

/** `scheme://user@host/path?query#fragment` becomes `scheme://…@host/path?…`; any other name stays as it is. */
function withoutSecrets(name: string): string {
	if (!/^[a-z][a-z\d+.-]*:/i.test(name)) return name;
	return name.replace(/([?#]).*$/s, '$1…').replace(/^([^:]*:\/\/)[^/]*@/, '$1…@');
}

/** Make a call and write its entry. */
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

/** Whether an MCP result or a response of the plugin protocol reports a failure. */
function hasFailed(result: object): boolean {
	return (
		('isError' in result && result.isError === true) || ('success' in result && result.success === false)
	);
}
