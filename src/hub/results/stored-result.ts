/* The file of a stored result: a line of JSON about it, the short form that its client got, then its content. */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { readSpan } from '../../files/read-span.ts';
import { isObject } from '../../wire/json.ts';
import { FACTS_BYTES } from './result-limits.ts';

/** The fields of the first line. */
export interface ResultFacts {
	/** When it was stored, in milliseconds since 1970. */
	readonly at: number;
	/** The size of the content. */
	readonly bytes: number;
	/** The size of the short form, as JSON; absent when the client got none. */
	readonly sentBytes?: number;
	readonly mimeType: string;
	/** Text, or bytes that clients get in base64. */
	readonly isText: boolean;
	/** The tool, as clients know it. */
	readonly tool: string;
	/** The name of the client. */
	readonly client: string;
	/** A hash of the session or sender that may read it. */
	readonly owner: string;
}

/** One stored result. */
export interface StoredResult extends ResultFacts {
	readonly handle: string;
	readonly path: string;
	/** Where the content begins in the file. */
	readonly from: number;
	/** Whether a user pinned it. */
	readonly isPinned: boolean;
}

/** The form that a client got in place of a stored result. */
export interface SentForm {
	readonly text: string;
	/** Its structured content, as JSON; null without one. */
	readonly structured: string | null;
}

/** The folder of the results that users pinned. */
export const PINNED = 'kept';

/** The member of `_meta` in a result that has its handle. */
export const HANDLE_META = 'orchestra/handle';
/** The scheme before the handle in a URI. */
export const SCHEME = 'orchestra-result://';

export function newHandle(): string {
	return `r-${randomBytes(12).toString('hex')}`;
}

/** Whether a text has the form of a handle: nothing else names a file. */
export function isHandle(text: string): boolean {
	return /^r-[\da-f]{24}$/.test(text);
}

/** The result in a file; undefined when there is none, it is not complete, or it is not one of ours. */
export async function readResultFile(path: string): Promise<StoredResult | undefined> {
	const handle = basename(path);
	if (!isHandle(handle)) return undefined;
	try {
		const head = await readSpan(path, 0, FACTS_BYTES);
		const end = head.indexOf('\n');
		const facts: unknown = JSON.parse(head.toString('utf8', 0, end));
		if (!isFacts(facts)) return undefined;
		const from = end + 1 + (facts.sentBytes ?? 0);
		// A hub that was killed while it wrote leaves a part.
		if ((await stat(path)).size !== from + facts.bytes) return undefined;
		return { ...facts, handle, path, from, isPinned: basename(dirname(path)) === PINNED };
	} catch {
		return undefined; // it was removed, or is not complete yet
	}
}

/** The short form that the client of a stored result got; undefined when it got the whole, or another answer. */
export async function readSent({ path, from, sentBytes = 0 }: StoredResult): Promise<SentForm | undefined> {
	if (sentBytes === 0) return undefined;
	// As `ResultFolder` wrote it.
	return JSON.parse((await readSpan(path, from - sentBytes, sentBytes)).toString()) as SentForm;
}

function isFacts(value: unknown): value is ResultFacts {
	const stringFields = ['mimeType', 'tool', 'client', 'owner'];
	const isComplete = isObject(value) && stringFields.every((name) => typeof value[name] === 'string');
	return isComplete && typeof value['at'] === 'number' && typeof value['bytes'] === 'number';
}
