/*
 * Write lines to a byte stream, batched per event-loop turn.
 *
 * A write costs the same for one line as for twenty, so lines are joined until all
 * sockets of this turn are read (64 HTTP clients are 64 reads), or until the batch is
 * large enough for the other side to start on it concurrently. Lines keep their order and
 * never interleave. A broken pipe rejects every later call.
 */
import type { Writable } from 'node:stream';
import { messageOf, OrchestraError } from '../errors.ts';
import { within } from '../rpc/clock.ts';
import { HIGH_WATER_BYTES, JOINED_LINES_CHARACTERS } from './transport-limits.ts';

interface Waiter {
	readonly write: number;
	readonly resolve: () => void;
	readonly reject: (error: OrchestraError) => void;
}

export interface LineWriterOptions {
	/** The original write of the stream, when `stream.write` was replaced. */
	write?: Writable['write'] | undefined;
	/** The name of the stream in errors. Default `stdin`, for a child's stdin. */
	name?: string | undefined;
	/** Called once with the error that broke the pipe; not called for `fail`. */
	onBroken?: ((error: OrchestraError) => void) | undefined;
}

export class LineWriter {
	readonly #stream: Writable;
	readonly #write: Writable['write'];
	readonly #onBroken: ((error: OrchestraError) => void) | undefined;
	readonly #waiters: Waiter[] = [];
	#batch = '';
	#writesStarted = 0;
	#writesDone = 0;
	#failure: OrchestraError | undefined;

	constructor(stream: Writable, options: LineWriterOptions = {}) {
		const { write = stream.write.bind(stream), name = 'stdin', onBroken } = options;
		this.#stream = stream;
		this.#write = write;
		this.#onBroken = onBroken;
		stream.on('error', (error) => this.#onError(ioError(error)));
		stream.on('close', () => this.#onError(new OrchestraError('closed', `${name} not available`)));
	}

	/** Unwritten bytes; the current batch counts in characters. */
	get waitingBytes(): number {
		return this.#batch.length + this.#stream.writableLength;
	}

	/** Queue one line. False above the high-water mark. Throws the error of a broken pipe. */
	post(text: string): boolean {
		if (this.#failure) throw this.#failure;
		if (this.#batch === '') setImmediate(this.#flush);
		this.#batch += `${text}\n`;
		if (this.#batch.length >= JOINED_LINES_CHARACTERS) this.#flush();
		return this.waitingBytes < HIGH_WATER_BYTES;
	}

	/** Resolves when all lines so far were written to the operating system. */
	flushed(): Promise<void> {
		const write = this.#batch === '' ? this.#writesStarted : this.#writesStarted + 1;
		if (this.#failure) return Promise.reject(this.#failure);
		if (write === this.#writesDone) return Promise.resolve();
		return new Promise((resolve, reject) => this.#waiters.push({ write, resolve, reject }));
	}

	/** Wait until all lines are written; false when there was no progress for `stallMs`. */
	async drained(stallMs: number): Promise<boolean> {
		const flushed = this.flushed().then(
			() => true,
			() => true, // a broken pipe has nothing left to write
		);
		for (;;) {
			const before = this.#writesDone;
			const isDone = (await within(flushed, stallMs)) === true;
			if (isDone || this.#writesDone === before) return isDone;
		}
	}

	/** Every later `post` throws `reason`, and pending `flushed()` promises reject. */
	fail(reason: OrchestraError): void {
		this.#failure ??= reason;
		for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#failure);
	}

	#onError(error: OrchestraError): void {
		const isFirst = this.#failure === undefined;
		this.fail(error);
		if (isFirst) this.#onBroken?.(error);
	}

	readonly #flush = (): void => {
		const text = this.#batch;
		this.#batch = '';
		if (this.#failure || text === '') return;
		this.#writesStarted++;
		this.#write(text, this.#onWritten);
	};

	readonly #onWritten = (error?: Error | null): void => {
		if (error) return this.#onError(ioError(error));
		this.#writesDone++;
		while (this.#waiters[0] && this.#waiters[0].write <= this.#writesDone) this.#waiters.shift()?.resolve();
	};
}

function ioError(error: Error): OrchestraError {
	return new OrchestraError('io', `IO error: ${messageOf(error)}`, { cause: error });
}
