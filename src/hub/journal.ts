/*
 * The journal: one line for each call, who, what, when, how long, and how it ended.
 *
 * Arguments and results are never written: they may hold secrets, and they may be
 * large. A journal that cannot be written costs a warning, never a call.
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
		write: ({ startedAt, ...entry }) =>
			lines.write(`${JSON.stringify({ at: startedAt.toISOString(), ...entry })}\n`),
		close: () => lines.close(),
	};
}
