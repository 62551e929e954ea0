/*
 * Messages over our own stdin and stdout.
 *
 * Stdout belongs to the protocol from the moment of construction: whatever else
 * in this process prints there, a stray `console.log` or a library, is sent to
 * stderr instead, until the transport is closed.
 */

import type { Readable, Writable } from 'node:stream';
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import type { Receiver } from '../rpc/channel.ts';
import { deferred } from '../rpc/deferred.ts';
import { quoteLine } from '../wire/quote-line.ts';
import { MESSAGE_LIMIT_BYTES, STALL_MS } from '../wire/wire-limits.ts';
import { LineReader } from './line-reader.ts';
import { LineWriter } from './line-writer.ts';
import { type TakenStdout, takeStdout } from './take-stdout.ts';
import type { Transport } from './transport.ts';

/** Any time will do: only that something is pending counts. */
const KEEP_ALIVE_MS = 60_000;

export interface StdioTransportOptions {
	/** Longest message accepted, in bytes. Default 10 MiB. */
	limitBytes?: number | undefined;
	/** Default: the stdin of this process. */
	input?: Readable | undefined;
	/** Default: the stdout of this process, guarded against stray prints. */
	output?: Writable | undefined;
	log?: Log | undefined;
}

export class StdioTransport implements Transport {
	readonly #input: Readable;
	readonly #reader: LineReader;
	readonly #writer: LineWriter;
	readonly #taken: TakenStdout;
	readonly #log: Log;
	#receiver: Receiver | undefined;
	#hasEnded = false;
	#closing: Promise<void> | undefined;
	#onBroken: ((error: OrchestraError) => void) | undefined;
	/** Ends the wait for a reader that takes nothing. */
	readonly #flushEnd = deferred();
	/** A stdin that is not read keeps no process alive, and there may be more in it. */
	#keepAlive: NodeJS.Timeout | undefined;

	constructor(options: StdioTransportOptions = {}) {
		const { limitBytes = MESSAGE_LIMIT_BYTES, input = process.stdin, output, log = Log.silent } = options;
		const taken = output ? given(output) : takeStdout();
		this.#log = log;
		this.#input = input;
		this.#taken = taken;
		const onBroken = (error: OrchestraError): void => this.#breakOff(error);
		this.#writer = new LineWriter(taken.stream, { write: taken.write, name: 'stdout', onBroken });
		this.#reader = new LineReader(input, limitBytes, (error) => {
			this.#finish(new OrchestraError('closed', 'the input ended', { cause: error }));
		});
	}

	get isClosed(): boolean {
		return this.#closing !== undefined;
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		this.#reader.start(receiver);
	}

	post(text: string): boolean {
		return this.#writer.post(text);
	}

	flushed(): Promise<void> {
		return this.#writer.flushed();
	}

	pause(): void {
		this.#reader.pause();
		if (!this.#hasEnded) this.#keepAlive ??= setInterval(() => {}, KEEP_ALIVE_MS);
	}

	resume(): void {
		this.#letGo();
		if (!this.isClosed) this.#reader.resume();
	}

	noteStray(text: string): void {
		this.#log.debug(`stray line on stdin: ${quoteLine(text)}`);
	}

	/** Stop reading, so that the end of the process is not held up by an open stdin. */
	stopReading(): void {
		this.#reader.stop();
		this.#finish(new OrchestraError('closed', 'reading was stopped'));
	}

	/** Call `listener` once when stdout breaks: nobody can read an answer any more. */
	onBroken(listener: (error: OrchestraError) => void): void {
		this.#onBroken = listener;
	}

	/** A reader that takes nothing is waited for no longer than `ms` from now. */
	limitFlush(ms: number): void {
		setTimeout(() => this.#flushEnd.resolve(), ms).unref();
	}

	/** Waits for the reader of stdout, as long as it takes something. */
	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async #close(): Promise<void> {
		const stopped = this.#flushEnd.promise.then(() => false);
		const isFlushed = await Promise.race([this.#writer.drained(STALL_MS), stopped]);
		if (!isFlushed) this.#abandonOutput();
		const reason = new OrchestraError('closed', 'transport is shut down');
		this.#writer.fail(reason);
		this.#input.destroy();
		this.#reader.stop();
		this.#taken.giveBack();
		this.#finish(reason);
	}

	/** What waits is lost; a write that never ends must not keep the process alive. */
	#abandonOutput(): void {
		this.#log.warn(`nobody reads stdout: ${this.#writer.waitingBytes} bytes are lost`);
		this.#taken.abandon();
	}

	#breakOff(error: OrchestraError): void {
		if (this.isClosed) return;
		this.#onBroken?.(error);
		this.#reader.stop();
		this.#finish(error);
	}

	#letGo(): void {
		clearInterval(this.#keepAlive);
		this.#keepAlive = undefined;
	}

	#finish(reason: OrchestraError): void {
		this.#letGo();
		if (this.#hasEnded) return;
		this.#hasEnded = true;
		this.#receiver?.end(reason);
	}
}

/** A stream of the caller's: nobody else writes to it. */
function given(stream: Writable): TakenStdout {
	const write = stream.write.bind(stream);
	return { stream, write, giveBack: () => {}, abandon: () => stream.destroy() };
}
