/*
 * Lines in a hash chain, so that a changed, missing or reordered line is found
 * (`verify-chain.ts`).
 *
 * A line is a JSON object that begins with `n`, which counts the lines over all files.
 * Lines are written in batches: one write, whose last line ends in `"previous"` and
 * `"hash"`, the hash of the batch before and the SHA-256 of the text of this batch up to
 * there. A hash for each line would cost more than the rest of the line. The chain has no
 * key: it finds damage and edits, not an owner of the file who computes all later hashes
 * anew.
 */
import { attempt } from '../errors.ts';
import { readRegularTail } from '../files/regular-file.ts';
import { sha256 } from '../files/sha256.ts';
import { jsonObject } from '../wire/json.ts';
import { CHAIN_BATCH_CHARACTERS, CHAIN_TAIL_BYTES } from './trust-limits.ts';

/** The place of the last line of a batch in the chain. */
export interface ChainLink {
	readonly n: number;
	readonly hash: string;
}

/** A line of a chain. */
export interface ChainedLine {
	readonly n: number;
	readonly fields: Readonly<Record<string, unknown>>;
	/** The end of the last line of a batch. */
	readonly end: { readonly previous: string; readonly hash: string } | undefined;
}

/** The link before the first line. */
export const chainStart: ChainLink = { n: 0, hash: '' };

const HASH_FORM = /,"hash":"([\da-f]{64})"\}$/;

/** The text of the next batch, and its link. Each line is JSON text of members, such as `"a":1,"b":2`. */
export function chainBatch(last: ChainLink, lines: readonly string[]): { text: string; link: ChainLink } {
	let { n } = last;
	let text = '';
	for (const members of lines) text += `${text === '' ? '' : '}\n'}{"n":${++n},${members}`;
	text += `,"previous":"${last.hash}"`;
	const hash = sha256(text);
	return { text: `${text},"hash":"${hash}"}\n`, link: { n, hash } };
}

/** Lines in parts of a bounded size. */
export function* batchesOf(lines: readonly string[]): Generator<readonly string[], undefined> {
	let [from, characters] = [0, 0];
	for (const [at, line] of lines.entries()) {
		if (at > from && characters + line.length > CHAIN_BATCH_CHARACTERS) {
			yield lines.slice(from, at);
			[from, characters] = [at, 0];
		}
		characters += line.length;
	}
	yield lines.slice(from);
}

/** Read a line; undefined when it is no line of a chain. */
export function readChainedLine(line: string): ChainedLine | undefined {
	const fields = jsonObject(line);
	const { n, previous } = fields ?? {};
	if (fields === undefined || !Number.isSafeInteger(n)) return undefined;
	const hash = HASH_FORM.exec(line)?.[1];
	const end = hash === undefined || typeof previous !== 'string' ? undefined : { previous, hash };
	return { n: Number(n), fields, end };
}

/** Whether the hash in the last line of a batch is that of its text. */
export function isIntactBatch(text: string): boolean {
	const [end = '', hash] = HASH_FORM.exec(text) ?? [];
	return hash !== undefined && sha256(text.slice(0, -end.length)) === hash;
}

/** The end of a file. */
export interface ChainTail {
	/** The last line with a hash; undefined when there is none. */
	readonly last: ChainLink | undefined;
	/** What comes after it: lines without a hash, of which the last may be cut. */
	readonly rest: string;
	/** Whether the last newline is missing. */
	readonly isCut: boolean;
}

/** Read the end of a file; undefined when it does not exist or is empty. */
export function readChainTail(file: string): ChainTail | undefined {
	const text = readEnd(file);
	if (text === undefined || text === '') return undefined;
	const isCut = !text.endsWith('\n');
	const lines = (isCut ? text : text.slice(0, -1)).split('\n');
	let isChain = false;
	for (let at = lines.length - 1; at >= 0; at--) {
		const found = readChainedLine(lines[at] ?? '');
		isChain ||= found !== undefined;
		if (found?.end)
			return { last: { n: found.n, hash: found.end.hash }, rest: lines.slice(at + 1).join('\n'), isCut };
	}
	// A journal of a version without hashes may be long: its last line stands for it.
	return { last: undefined, rest: (isChain ? lines : lines.slice(-1)).join('\n'), isCut };
}

/** Undefined when it is absent; another error is that of the next write. */
function readEnd(file: string): string | undefined {
	return attempt(() => readRegularTail(file, CHAIN_TAIL_BYTES).toString('utf8'));
}
