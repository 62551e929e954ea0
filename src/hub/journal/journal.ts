/*
 * The journal: one line for each call with its client, name, time, duration and outcome,
 * in a hash chain.
 *
 * Arguments and results are never written: they may contain secrets and may be large.
 * Their hashes are, so that a user who has them can prove what was called. The query
 * of a URI, which holds the arguments of a resource, is left out too. A journal that
 * cannot be written causes a warning and never fails a call. Lines are made after the
 * response is sent, not in the path of the call.
 */
import { messageOf, type RequestOutcome } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { ChainFile } from '../../trust/chain-file.ts';
import { JOURNAL_BYTES, JOURNAL_WAITING_LIMIT } from '../hub-limits.ts';
import { journalMembers, tokenMembers } from './journal-line.ts';

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
	/** Whether a call without a usable answer ran. */
	readonly remote?: RequestOutcome | undefined;
	/** The worker of another machine that accepted it. */
	readonly worker?: string | undefined;
	/** Milliseconds by phase, where the backend measures them. */
	readonly phases?: Readonly<Record<string, number>> | undefined;
	/** The decision of the policy, and the rule as `file:line`. */
	readonly policy?: string | undefined;
	readonly rule?: string | undefined;
	/** The plan that made the call. */
	readonly plan?: string | undefined;
	/** The id of its trace: of `traceparent`, or of one that the hub began. */
	readonly trace?: string | undefined;
	/** Equal for calls of which client, backend, method, name, policy and rule are equal. */
	readonly subject?: object | undefined;
	/** Only their sizes and hashes are written. `JsonText` stands for a value with this text, of arguments as canonical JSON. */
	readonly arguments?: unknown;
	readonly result?: unknown;
}

/** Tokens that an agent read or was spared, besides those of its calls. */
export interface JournalTokens {
	readonly at: Date;
	readonly client: string;
	/** The source of a result. */
	readonly backend?: string | undefined;
	readonly tool?: string | undefined;
	readonly tokens: Readonly<Partial<Record<'sent' | 'search' | 'views' | 'budget', number>>>;
}

/** Receives one entry per call. */
export interface Journal {
	/** Where the lines are, when they are in a file. */
	readonly file?: string;
	write(entry: JournalEntry): void;
	/** A line that is no call, for `mctl usage`. */
	writeTokens?(entry: JournalTokens): void;
	/** Write what waits, so that a reader of the file finds it. */
	flush?(): void;
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
	const lines = new ChainFile(file, JOURNAL_BYTES, onError, log);
	let waiting: (JournalEntry | JournalTokens)[] = [];
	let making: NodeJS.Immediate | undefined;
	const makeLines = (): void => {
		clearImmediate(making);
		making = undefined;
		const entries = waiting;
		waiting = [];
		try {
			lines.write(entries.map((entry) => ('tokens' in entry ? tokenMembers(entry) : journalMembers(entry))));
		} catch (error) {
			onError(error);
		}
	};
	const write = (entry: JournalEntry | JournalTokens): void => {
		waiting.push(entry);
		if (waiting.length >= JOURNAL_WAITING_LIMIT) makeLines();
		else making ??= setImmediate(makeLines);
	};
	return {
		file,
		write,
		writeTokens: write,
		flush: () => {
			makeLines();
			lines.flush();
		},
		close: async () => {
			makeLines();
			await lines.close();
		},
	};
}
