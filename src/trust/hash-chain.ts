/*
 * Lines in which each has the hash of the one before, so that a changed, missing or
 * reordered line is found (`verify-chain.ts`).
 *
 * A line is a JSON object that ends in `"previous"` and `"hash"`: the hash of the line
 * before, and the SHA-256 of its own text up to there. `n` counts the lines over all
 * files. The chain has no key: it finds damage and edits, not an owner of the file who
 * computes all later hashes anew.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { sha256 } from '../files/sha256.ts';
import { isObject } from '../wire/json.ts';

/** Longer than any line that we write. */
const TAIL_BYTES = 64 * 1024;

/** The place of a line in the chain. */
export interface ChainLink {
	readonly n: number;
	readonly hash: string;
}

/** A line of a chain. */
export interface ChainedLine extends ChainLink {
	readonly previous: string;
	readonly fields: Readonly<Record<string, unknown>>;
	/** Whether the hash is that of the text. */
	readonly isIntact: boolean;
}

/** Before the first line. */
export const chainStart: ChainLink = { n: 0, hash: '' };

const HASH_FORM = /,"hash":"([\da-f]{64})"\}$/;

/** The next line, without its newline, and its link. `members` is JSON text, such as `"a":1,"b":2`. */
export function chainLine(last: ChainLink, members: string): { line: string; link: ChainLink } {
	const n = last.n + 1;
	const text = `{"n":${n},${members},"previous":"${last.hash}"`;
	const hash = sha256(text);
	return { line: `${text},"hash":"${hash}"}`, link: { n, hash } };
}

/** Read a line; undefined when it is no line of a chain. */
export function readChainedLine(line: string): ChainedLine | undefined {
	const [end, hash] = HASH_FORM.exec(line) ?? [];
	const fields = end === undefined || hash === undefined ? undefined : parseObject(line);
	if (end === undefined || hash === undefined || fields === undefined) return undefined;
	const { n, previous } = fields;
	if (!Number.isSafeInteger(n) || typeof previous !== 'string') return undefined;
	const isIntact = sha256(line.slice(0, -end.length)) === hash;
	return { n: Number(n), hash, previous, fields, isIntact };
}

/** The JSON object of a line; undefined when it is none. */
export function parseObject(line: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined; // not JSON
	}
}

/** The end of a file. */
export interface ChainTail {
	/** The last line of the chain; undefined when there is none. */
	readonly last: ChainLink | undefined;
	/** What comes after it: a line that was cut, or lines without hashes. */
	readonly rest: string;
	/** Whether the file ends inside a line. */
	readonly isCut: boolean;
}

/** Read the end of a file; undefined when it does not exist or is empty. */
export function readChainTail(file: string): ChainTail | undefined {
	const text = readEnd(file);
	if (text === undefined || text === '') return undefined;
	const isCut = !text.endsWith('\n');
	const lines = (isCut ? text : text.slice(0, -1)).split('\n');
	for (let at = lines.length - 1; at >= 0; at--) {
		const isWhole = !isCut || at < lines.length - 1;
		const found = isWhole ? readChainedLine(lines[at] ?? '') : undefined;
		if (found) return { last: found, rest: lines.slice(at + 1).join('\n'), isCut };
	}
	return { last: undefined, rest: lines.at(-1) ?? '', isCut };
}

function readEnd(file: string): string | undefined {
	let descriptor: number;
	try {
		descriptor = openSync(file, 'r');
	} catch {
		return undefined; // absent; another error is that of the next write
	}
	try {
		const { size } = fstatSync(descriptor);
		const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
		const length = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
		return bytes.toString('utf8', 0, length);
	} finally {
		closeSync(descriptor);
	}
}
