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
import { MESSAGE_LIMIT_BYTES, STRAY_LINE_CHARACTERS } from '../wire/limits.ts';
import { LineReader } from './line-reader.ts';
import { LineWriter } from './line-writer.ts';
import { takeStdout } from './take-stdout.ts';
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
	readonly #giveBackStdout: () => void;
	readonly #log: Log;
	#receiver: Receiver | undefined;
	#hasEnded = false;
	#isClosed = false;
	/** A stdin that is not read keeps no process alive, and there may be more in it. */
	#keepAlive: NodeJS.Timeout | undefined;

	constructor(options: StdioTransportOptions = {}) {
		const { limitBytes = MESSAGE_LIMIT_BYTES, input = process.stdin, output, log = Log.silent } = options;
		const taken = output ? { stream: output, write: undefined, giveBack: () => {} } : takeStdout();
		this.#log = log;
		this.#input = input;
		this.#giveBackStdout = taken.giveBack;
		this.#writer = new LineWriter(taken.stream, taken.write);
		this.#reader = new LineReader(input, limitBytes, (error) => {
			this.#finish(new OrchestraError('closed', 'the input ended', { cause: error }));
		});
	}

	get isClosed(): boolean {
		return this.#isClosed;
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
		if (!this.#isClosed) this.#reader.resume();
	}

	noteStray(text: string): void {
		this.#log.debug(`stray line on stdin: ${text.slice(0, STRAY_LINE_CHARACTERS)}`);
	}

	/** Stop reading, so that the end of the process is not held up by an open stdin. */
	stopReading(): void {
		this.#reader.stop();
		this.#finish(new OrchestraError('closed', 'reading was stopped'));
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		// A reader that is gone cannot be flushed to; the pipe is closed all the same.
		await this.#writer.flushed().catch(() => {});
		const reason = new OrchestraError('closed', 'transport is shut down');
		this.#writer.fail(reason);
		this.#input.destroy();
		this.#reader.stop();
		this.#giveBackStdout();
		this.#finish(reason);
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
