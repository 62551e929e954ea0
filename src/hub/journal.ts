/*
 * The journal: one line for each call, who, what, when, how long, and how it ended.
 *
 * Arguments and results are never written: they may hold secrets, and they may be
 * large. The same goes for what a URI carries beside its path: its query is the
 * arguments of a resource. A journal that cannot be written costs a warning, never a call.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
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
