/*
 * Appends batches of a hash chain to a rotated file, each with one write. After a crash,
 * or another end of the chain, its first line says what it found and where the chain goes
 * on. Lines that could not be written leave a gap in the numbers.
 *
 * `<file>.head` has the last line that was written, at most a second old: it shows when
 * lines at the end are missing.
 */
import { RotatingFile } from '../files/rotating-file.ts';
import { sha256 } from '../files/sha256.ts';
import { readState, writeState } from '../files/state-file.ts';
import type { Log } from '../log.ts';
import { isObject } from '../wire/json.ts';
import { batchesOf, type ChainLink, chainBatch, chainStart, readChainTail } from './hash-chain.ts';
import { CHAIN_FIRST_HEAD_MS, CHAIN_HEAD_MS } from './trust-limits.ts';

/** Room for the mark of the first line of a file. */
const MARK_BYTES = 16;

export class ChainFile {
	readonly #path: string;
	readonly #onError: (error: unknown) => void;
	readonly #file: RotatingFile;
	#last: ChainLink | undefined;
	/** The number of the last line that was given to us, written or not. */
	#count = 0;
	#headTimer: NodeJS.Timeout | undefined;

	/**
	 * @param onError is called when the file cannot be written
	 * @param log warns when others could read the file, which is repaired. Default: stderr
	 */
	constructor(path: string, limitBytes: number, onError: (error: unknown) => void, log?: Pick<Log, 'warn'>) {
		this.#path = path;
		this.#onError = onError;
		const onFileError = (error: unknown): void => {
			this.#last = undefined; // a part of a batch may be there: read the end again
			onError(error);
		};
		this.#file = new RotatingFile(path, limitBytes, onFileError, log);
	}

	/** Append lines, each the members of an object as JSON text. */
	write(lines: readonly string[]): void {
		if (lines.length === 0) return;
		const delayMs = this.#last === undefined ? CHAIN_FIRST_HEAD_MS : CHAIN_HEAD_MS;
		for (const batch of batchesOf(lines)) this.#append(this.#last ?? this.#resume(), batch);
		this.#headTimer ??= setTimeout(() => this.#writeHead(), delayMs).unref();
	}

	/** Write what waits. */
	flush(): void {
		this.#file.flush();
	}

	async close(): Promise<void> {
		await this.#file.close();
		if (this.#headTimer) this.#writeHead();
	}

	#append(last: ChainLink, lines: readonly string[], before = ''): void {
		let next = chainBatch(last, lines);
		this.#count = next.link.n;
		const bytes = Buffer.byteLength(next.text) + before.length;
		if (this.#file.prepare(bytes + MARK_BYTES))
			next = chainBatch(last, lines.with(0, `${lines[0]},"first":true`));
		this.#last = next.link;
		if (!this.#file.append(before + next.text)) this.#last = undefined;
	}

	/** Where the chain goes on. What is not the plain end of a chain gets a line of its own. */
	#resume(): ChainLink {
		const tail = readChainTail(this.#path);
		const found = tail?.last ?? readChainTail(`${this.#path}.1`)?.last ?? chainStart;
		const head = readChainHead(this.#path);
		// Lines that were removed, or could not be written, leave a gap in the numbers.
		const { hash } = head && head.n > found.n ? head : found;
		const last = { n: Math.max(found.n, head?.n ?? 0, this.#count), hash };
		const { rest, isCut } = tail ?? { rest: '', isCut: false };
		if (isCut && rest === '') this.#file.append('\n');
		if (tail === undefined || rest === '') return last;
		const event = tail.last === undefined ? 'began after lines without hashes' : 'continued after a cut line';
		const about =
			`"at":"${new Date().toISOString()}","event":"${event}"` +
			`,"cutBytes":${Buffer.byteLength(rest)},"cutSha256":"${sha256(rest)}"`;
		this.#append(last, [about], isCut ? '\n' : '');
		return this.#last ?? { n: this.#count, hash };
	}

	#writeHead(): void {
		clearTimeout(this.#headTimer);
		this.#headTimer = undefined;
		if (this.#last === undefined) return;
		try {
			writeState(headFile(this.#path), { n: this.#last.n, hash: this.#last.hash });
		} catch (error) {
			this.#onError(error);
		}
	}
}

/** The last line that was written, as far as it was recorded; undefined when it was not. */
export function readChainHead(path: string): ChainLink | undefined {
	const found = readState(headFile(path));
	if (!isObject(found) || !Number.isSafeInteger(found['n']) || typeof found['hash'] !== 'string')
		return undefined;
	return { n: Number(found['n']), hash: found['hash'] };
}

function headFile(path: string): string {
	return `${path}.head`;
}
