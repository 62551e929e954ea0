/*
 * The journal: one line for each call with its client, name, time, duration and outcome,
 * in a hash chain.
 *
 * Arguments and results are never written: they may contain secrets and may be large.
 * Their hashes are, so that a person who has them can prove what was called. The query
 * of a URI, which holds the arguments of a resource, is left out too. A journal that
 * cannot be written causes a warning and never fails a call. Lines are made after the
 * response is sent, not in the path of the call.
 */
import { messageOf } from '../errors.ts';
import { sha256 } from '../files/sha256.ts';
import type { Log } from '../log.ts';
import { hasSecret, redactJson } from '../redact.ts';
import { canonicalJson, jsonStart } from '../trust/canonical-json.ts';
import { ChainedFile } from '../trust/chained-file.ts';
import { sourceTextOf } from '../wire/source-text.ts';
import { isLarger } from './results/value-size.ts';

/** Size at which the file is rotated. */
export const JOURNAL_BYTES: number = 8 * 1024 * 1024;

/** The hash of a larger text is that of its first bytes. */
const HASHED_BYTES = 256 * 1024;
/** Of a value without a text, only the beginning is encoded above this size. */
const ENCODED_CHARACTERS = 1024 * 1024;
/** In UTF-8, at most. */
const BYTES_PER_CHARACTER = 3;
/** Calls whose lines are not made yet. */
const WAITING_LIMIT = 256;
const NAME_CHARACTERS = 1000;

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
	/** Of a call to another hub that got no answer: whether it ran. */
	readonly remote?: 'not run' | 'unknown' | undefined;
	/** Milliseconds by phase, where the backend measures them. */
	readonly phases?: Readonly<Record<string, number>> | undefined;
	/** The decision of the policy, and the rule as `file:line`. */
	readonly policy?: string | undefined;
	readonly rule?: string | undefined;
	/** The id of its trace: of `traceparent`, or of one that the hub began. */
	readonly trace?: string | undefined;
	/** Only their sizes and hashes are written. */
	readonly arguments?: unknown;
	readonly result?: unknown;
}

/** Receives one entry per call. */
export interface Journal {
	/** Where the lines are, when they are in a file. */
	readonly file?: string;
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
	const lines = new ChainedFile(file, JOURNAL_BYTES, onError, log);
	let waiting: JournalEntry[] = [];
	let making: NodeJS.Immediate | undefined;
	const makeLines = (): void => {
		clearImmediate(making);
		making = undefined;
		const entries = waiting;
		waiting = [];
		try {
			for (const entry of entries) lines.write(fieldsOf(entry));
		} catch (error) {
			onError(error);
		}
	};
	return {
		file,
		write: (entry) => {
			waiting.push(entry);
			if (waiting.length >= WAITING_LIMIT) makeLines();
			else making ??= setImmediate(makeLines);
		},
		close: async () => {
			makeLines();
			await lines.close();
		},
	};
}

function fieldsOf({ startedAt, name, client, arguments: input, result, ...entry }: JournalEntry): object {
	const given = input === undefined ? undefined : digestOf(input, canonical);
	const returned = result === undefined ? undefined : digestOf(result, asReturned);
	const fields = {
		at: startedAt.toISOString(),
		client: shortened(client),
		...entry,
		name: shortened(withoutArguments(name)),
		argumentsBytes: given?.bytes,
		argumentsSha256: given?.hash,
		argumentsHashedBytes: given?.hashedBytes,
		resultBytes: returned?.bytes,
		resultSha256: returned?.hash,
		resultHashedBytes: returned?.hashedBytes,
	};
	return withoutSecrets(fields);
}

/** One look at all texts is much faster than one at each, and nearly no line has a secret. */
function withoutSecrets(fields: Omit<JournalEntry, 'startedAt'>): object {
	const { client, backend, method, name, error, policy, rule, trace } = fields;
	const text = `${client}\n${backend}\n${method}\n${name}\n${error}\n${policy}\n${rule}\n${trace}`;
	return hasSecret(text) ? (redactJson(fields) as object) : fields;
}

interface Digest {
	readonly bytes?: number;
	readonly hash?: string;
	/** When only the beginning was hashed. */
	readonly hashedBytes?: number;
}

interface Encoding {
	readonly encode: (value: unknown) => string;
	/** The keys of an object in the order of `encode`. */
	readonly keysOf: (object: object) => string[];
}

const canonical: Encoding = { encode: canonicalJson, keysOf: (object) => Object.keys(object).sort() };
const asReturned: Encoding = {
	encode: (result) => sourceTextOf(result) ?? JSON.stringify(result),
	keysOf: Object.keys,
};

/** The size and the SHA-256 of a value as JSON. */
function digestOf(value: unknown, { encode, keysOf }: Encoding): Digest {
	try {
		if (sourceTextOf(value) === undefined && isLarger(value, ENCODED_CHARACTERS)) {
			const start = Buffer.from(jsonStart(value, HASHED_BYTES, keysOf)).subarray(0, HASHED_BYTES);
			return { hash: sha256(start), hashedBytes: start.length };
		}
		const text = encode(value);
		if (text.length <= HASHED_BYTES / BYTES_PER_CHARACTER)
			return { bytes: Buffer.byteLength(text), hash: sha256(text) };
		const start = Buffer.from(text.slice(0, HASHED_BYTES)).subarray(0, HASHED_BYTES);
		const bytes = Buffer.byteLength(text);
		return { bytes, hash: sha256(start), ...(bytes > start.length && { hashedBytes: start.length }) };
	} catch {
		return {}; // no JSON, or nested too deeply
	}
}

/** `scheme://user@host/path?query#fragment` becomes `scheme://…@host/path?…`; any other name stays as it is. */
export function withoutArguments(name: string): string {
	if (!/^[a-z][a-z\d+.-]*:/i.test(name)) return name;
	return name.replace(/([?#]).*$/s, '$1…').replace(/^([^:]*:\/\/)[^/]*@/, '$1…@');
}

function shortened(text: string): string {
	return text.length > NAME_CHARACTERS ? `${text.slice(0, NAME_CHARACTERS)}…` : text;
}
