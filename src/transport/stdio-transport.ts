/*
 * Messages over the stdin and stdout of this process.
 *
 * Stdout is reserved for the protocol: everything else that this process prints there,
 * a stray `console.log` or a library, goes to stderr until the transport is closed.
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
import { type ReservedStdout, reserveStdout } from './reserve-stdout.ts';
import { StdoutWatch } from './stdout-watch.ts';
import type { Transport } from './transport.ts';
import { KEEP_ALIVE_MS } from './transport-limits.ts';

/** Settings of a `StdioTransport`. */
export interface StdioTransportOptions {
	/** Longest message accepted, in bytes. Default 10 MiB. */
	limitBytes?: number | undefined;
	/** Default: the stdin of this process. */
	input?: Readable | undefined;
	/** Default: the stdout of this process, reserved for the protocol. */
	output?: Writable | undefined;
	log?: Log | undefined;
}

/** A transport over the stdin and stdout of this process, or over two given streams. */
export class StdioTransport implements Transport {
	readonly #input: Readable;
	readonly #reader: LineReader;
	readonly #writer: LineWriter;
	readonly #output: ReservedStdout;
	readonly #log: Log;
	readonly #isProcessStdout: boolean;
	#watch: StdoutWatch | undefined;
	#receiver: Receiver | undefined;
	#hasEnded = false;
	#closing: Promise<void> | undefined;
	#onBroken: ((error: OrchestraError) => void) | undefined;
	/** Ends the final flush when stdout is not read. */
	readonly #flushEnd = deferred();
	/** A paused stdin does not keep the process alive, although it may contain more data. */
	#keepAlive: NodeJS.Timeout | undefined;

	constructor(options: StdioTransportOptions = {}) {
		const { limitBytes = MESSAGE_LIMIT_BYTES, input = process.stdin, output, log = Log.silent } = options;
		const reserved = output ? unshared(output) : reserveStdout();
		this.#log = log;
		this.#input = input;
		this.#output = reserved;
		this.#isProcessStdout = output === undefined;
		const onBroken = (error: OrchestraError): void => this.#onOutputBroken(error);
		this.#writer = new LineWriter(reserved.stream, { write: reserved.write, name: 'stdout', onBroken });
		this.#reader = new LineReader(input, limitBytes, (error) => {
			this.#finish(new OrchestraError('closed', 'the input ended', { cause: error }));
		});
	}

	get isClosed(): boolean {
		return this.#closing !== undefined;
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		this.#reader.start(this.#watch?.around(receiver) ?? receiver);
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
		this.#stopKeepAlive();
		if (!this.isClosed) this.#reader.resume();
	}

	logStray(text: string): void {
		this.#log.debug(`stray line on stdin: ${quoteLine(text)}`);
	}

	/** Stop reading, so that an open stdin does not keep the process alive. */
	stopReading(): void {
		this.#reader.stop();
		this.#finish(new OrchestraError('closed', 'reading was stopped'));
	}

	/** Call `listener` once when stdout breaks: responses can no longer be sent. */
	onBroken(listener: (error: OrchestraError) => void): void {
		this.#onBroken = listener;
	}

	/**
	 * Notice a closed stdout of this process within seconds while `isBusy`, and not only at the next write. Call before
	 * `start`.
	 */
	watchOutput(isBusy: () => boolean): void {
		if (!this.#isProcessStdout) return;
		const onUnread = (): void => {
			const error = new OrchestraError('closed', 'it has no reader');
			this.#writer.fail(error);
			this.#onOutputBroken(error);
		};
		this.#watch = new StdoutWatch({ isBusy, onUnread });
	}

	/** Limit the final flush of `close` to `ms` from now. */
	limitFlush(ms: number): void {
		setTimeout(() => this.#flushEnd.resolve(), ms).unref();
	}

	/** Flush and close. Waits while the reader of stdout makes progress. */
	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async #close(): Promise<void> {
		this.#watch?.stop();
		const stopped = this.#flushEnd.promise.then(() => false);
		const isFlushed = await Promise.race([this.#writer.drained(STALL_MS), stopped]);
		if (!isFlushed) this.#abandonOutput();
		const reason = new OrchestraError('closed', 'transport is shut down');
		this.#writer.fail(reason);
		this.#input.destroy();
		this.#reader.stop();
		this.#output.restore();
		this.#finish(reason);
	}

	/** Drop the unwritten output: a write that never completes must not keep the process alive. */
	#abandonOutput(): void {
		this.#log.warn(`stdout is not read: ${this.#writer.waitingBytes} bytes are lost`);
		this.#output.abandon();
	}

	#onOutputBroken(error: OrchestraError): void {
		if (this.isClosed) return;
		this.#onBroken?.(error);
		this.#reader.stop();
		this.#finish(error);
	}

	#stopKeepAlive(): void {
		clearInterval(this.#keepAlive);
		this.#keepAlive = undefined;
	}

	#finish(reason: OrchestraError): void {
		this.#stopKeepAlive();
		if (this.#hasEnded) return;
		this.#hasEnded = true;
		this.#receiver?.end(reason);
	}
}

/** A stream of the caller, to which nothing else writes. */
function unshared(stream: Writable): ReservedStdout {
	const write = stream.write.bind(stream);
	return { stream, write, restore: () => {}, abandon: () => stream.destroy() };
}
