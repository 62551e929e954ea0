/*
 * Appends the lines of a hash chain to a rotated file. After a crash, or another end of
 * the chain, its first line says what it found and where the chain goes on.
 *
 * `<file>.head` has the last line that was written, at most a second old: it shows when
 * lines at the end are missing.
 */
import { RotatingFile } from '../files/rotating-file.ts';
import { sha256 } from '../files/sha256.ts';
import { readState, writeState } from '../files/state-file.ts';
import type { Log } from '../log.ts';
import { isObject } from '../wire/json.ts';
import { type ChainLink, chainLine, chainStart, readChainTail } from './hash-chain.ts';

const HEAD_MS = 1000;
/** For the first line: a chain without a head is a damaged one. */
const FIRST_HEAD_MS = 1;
/** Room for the mark of the first line of a file. */
const MARK_BYTES = 16;

export class ChainedFile {
	readonly #path: string;
	readonly #onError: (error: unknown) => void;
	readonly #file: RotatingFile;
	#last: ChainLink | undefined;
	#headTimer: NodeJS.Timeout | undefined;

	/**
	 * @param onError is called when the file cannot be written
	 * @param log warns when others could read the file, which is repaired. Default: stderr
	 */
	constructor(path: string, limitBytes: number, onError: (error: unknown) => void, log?: Pick<Log, 'warn'>) {
		this.#path = path;
		this.#onError = onError;
		const onFileError = (error: unknown): void => {
			this.#last = undefined; // a part of a line may be there: read the end again
			onError(error);
		};
		this.#file = new RotatingFile(path, limitBytes, onFileError, log);
	}

	/** Append one line with these members, as JSON text. */
	write(members: string): void {
		const delayMs = this.#last === undefined ? FIRST_HEAD_MS : HEAD_MS;
		this.#last ??= this.#resume();
		this.#append(this.#last, members);
		this.#headTimer ??= setTimeout(() => this.#writeHead(), delayMs).unref();
	}

	async close(): Promise<void> {
		await this.#file.close();
		if (this.#headTimer) this.#writeHead();
	}

	#append(last: ChainLink, members: string, before = ''): void {
		let next = chainLine(last, members);
		const bytes = Buffer.byteLength(next.line) + before.length + 1;
		if (this.#file.prepare(bytes + MARK_BYTES)) next = chainLine(last, `${members},"first":true`);
		this.#last = next.link;
		this.#file.write(`${before}${next.line}\n`);
	}

	/** Where the chain goes on. What is not the plain end of a chain gets a line of its own. */
	#resume(): ChainLink {
		const tail = readChainTail(this.#path) ?? readChainTail(`${this.#path}.1`);
		const head = readChainHead(this.#path);
		const found = tail?.last ?? chainStart;
		// Lines that were removed leave a gap in the numbers.
		const last = head && head.n > found.n ? head : found;
		if (tail === undefined || (tail.rest === '' && !tail.isCut)) return last;
		const { rest, isCut } = tail;
		const event = tail.last === undefined ? 'began after lines without hashes' : 'continued after a cut line';
		const about =
			`"at":"${new Date().toISOString()}","event":"${event}"` +
			`,"cutBytes":${Buffer.byteLength(rest)},"cutSha256":"${sha256(rest)}"`;
		this.#append(last, about, isCut ? '\n' : '');
		return this.#last ?? last;
	}

	#writeHead(): void {
		clearTimeout(this.#headTimer);
		this.#headTimer = undefined;
		this.#file.flush(); // never a head of a line that is not there
		if (this.#last === undefined) return;
		try {
			writeState(headFile(this.#path), { n: this.#last.n, hash: this.#last.hash });
		} catch (error) {
			this.#onError(error);
		}
	}
}

/** The last line that was written, as far as it was noted; undefined when it was not. */
export function readChainHead(path: string): ChainLink | undefined {
	const found = readState(headFile(path));
	if (!isObject(found) || !Number.isSafeInteger(found['n']) || typeof found['hash'] !== 'string')
		return undefined;
	return { n: Number(found['n']), hash: found['hash'] };
}

function headFile(path: string): string {
	return `${path}.head`;
}
