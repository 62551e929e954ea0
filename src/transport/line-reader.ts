/* Read lines from a byte stream and deliver them to a receiver, with backpressure. */
import type { Readable } from 'node:stream';
import type { Receiver } from '../rpc/channel.ts';
import { spinBriefly } from '../spin.ts';
import { LineSplitter } from '../wire/lines.ts';

export class LineReader {
	readonly #stream: Readable;
	readonly #splitter: LineSplitter;
	readonly #onEnd: (error: Error | undefined) => void;
	#hasEnded = false;

	/** @param onEnd is called once at the end of the stream, with its error if there was one */
	constructor(stream: Readable, limitBytes: number, onEnd: (error: Error | undefined) => void) {
		this.#stream = stream;
		this.#splitter = new LineSplitter(limitBytes);
		this.#onEnd = onEnd;
	}

	start(receiver: Receiver): void {
		this.#stream.on('data', (chunk: Buffer) => {
			this.#deliver(receiver, this.#splitter.push(chunk));
			spinBriefly();
		});
		const finish = (error?: Error): void => {
			if (this.#hasEnded) return;
			this.#deliver(receiver, this.#splitter.end());
			this.#hasEnded = true;
			this.#onEnd(error);
		};
		this.#stream.on('end', finish);
		this.#stream.on('error', finish);
		this.#stream.on('close', finish);
		// A stream that ended before emits no more events.
		if (this.#stream.destroyed || this.#stream.readableEnded) queueMicrotask(finish);
	}

	/** Stop delivery at once, also within the current chunk. */
	stop(): void {
		this.#hasEnded = true;
		this.#stream.destroy();
	}

	pause(): void {
		this.#stream.pause();
	}

	resume(): void {
		this.#stream.resume();
	}

	#deliver(receiver: Receiver, lines: ReturnType<LineSplitter['push']>): void {
		for (const line of lines) {
			if (this.#hasEnded) return;
			if (typeof line === 'string') receiver.message(line);
			else receiver.oversize(line);
		}
	}
}
