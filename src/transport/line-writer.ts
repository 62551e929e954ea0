/*
 * Lines to a byte stream: what is posted in one turn of the event loop leaves in
 * few writes.
 *
 * A write costs the same for one line as for twenty, so lines are joined until
 * the turn is over, or until there is enough for the other side to begin with:
 * were it to wait for all of them, the two would work in turns instead of at the
 * same time. The order is the order of posting, and lines never interleave. A
 * broken pipe is remembered and told to everyone who asks, never thrown into the
 * void.
 */

import type { Writable } from 'node:stream';
import { messageOf, OrchestraError } from '../errors.ts';
import { within } from '../rpc/clock.ts';
import { HIGH_WATER_BYTES } from './transport.ts';

/** How much is joined before it is written within the turn, in characters. */
const JOINED_CHARACTERS = 2048;

interface Waiter {
	readonly write: number;
	readonly resolve: () => void;
	readonly reject: (error: OrchestraError) => void;
}

export interface LineWriterOptions {
	/** The real write of the stream, when others have been given another one. */
	write?: Writable['write'] | undefined;
	/** The name of the stream in errors. Default `stdin`: that of a child. */
	name?: string | undefined;
	/** Receives what broke the pipe, once; not called for `fail`. */
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
		stream.on('error', (error) => this.#break(ioError(error)));
		stream.on('close', () => this.#break(new OrchestraError('closed', `${name} not available`)));
	}

	/** Bytes that wait here; characters for the last few. */
	get waitingBytes(): number {
		return this.#batch.length + this.#stream.writableLength;
	}

	/** Queue one line. False when more waits than is good. Throws what broke the pipe. */
	post(text: string): boolean {
		if (this.#failure) throw this.#failure;
		if (this.#batch === '') process.nextTick(this.#flush);
		this.#batch += `${text}\n`;
		if (this.#batch.length >= JOINED_CHARACTERS) this.#flush();
		return this.waitingBytes < HIGH_WATER_BYTES;
	}

	/** Resolves when all lines so far are with the operating system. */
	flushed(): Promise<void> {
		const write = this.#batch === '' ? this.#writesStarted : this.#writesStarted + 1;
		if (this.#failure) return Promise.reject(this.#failure);
		if (write === this.#writesDone) return Promise.resolve();
		return new Promise((resolve, reject) => this.#waiters.push({ write, resolve, reject }));
	}

	/** Waits until all lines are with the operating system; false when nothing was taken for `stallMs`. */
	async drained(stallMs: number): Promise<boolean> {
		const flushed = this.flushed().then(
			() => true,
			() => true, // a pipe that broke takes nothing more
		);
		for (;;) {
			const before = this.#writesDone;
			const isDone = (await within(flushed, stallMs)) === true;
			if (isDone || this.#writesDone === before) return isDone;
		}
	}

	/** From now on every post throws `reason`, and whoever waits is told. */
	fail(reason: OrchestraError): void {
		this.#failure ??= reason;
		for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#failure);
	}

	#break(error: OrchestraError): void {
		const isNews = this.#failure === undefined;
		this.fail(error);
		if (isNews) this.#onBroken?.(error);
	}

	readonly #flush = (): void => {
		const text = this.#batch;
		this.#batch = '';
		if (this.#failure || text === '') return;
		this.#writesStarted++;
		this.#write(text, this.#onWritten);
	};

	readonly #onWritten = (error?: Error | null): void => {
		if (error) return this.#break(ioError(error));
		this.#writesDone++;
		while (this.#waiters[0] && this.#waiters[0].write <= this.#writesDone) this.#waiters.shift()?.resolve();
	};
}

function ioError(error: Error): OrchestraError {
	return new OrchestraError('io', `IO error: ${messageOf(error)}`, { cause: error });
}
