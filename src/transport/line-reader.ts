/* A byte stream to lines, delivered to a receiver, with a brake. */
import type { Readable } from 'node:stream';
import type { Receiver } from '../rpc/channel.ts';
import { spinBriefly } from '../spin.ts';
import { LineSplitter } from '../wire/lines.ts';

export class LineReader {
	readonly #stream: Readable;
	readonly #splitter: LineSplitter;
	readonly #onEnd: (error: Error | undefined) => void;
	#isOver = false;

	/** @param onEnd is told once that no more lines will come, with the error that ended them if there was one */
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
			if (this.#isOver) return;
			this.#deliver(receiver, this.#splitter.end());
			this.#isOver = true;
			this.#onEnd(error);
		};
		this.#stream.on('end', finish);
		this.#stream.on('error', finish);
		this.#stream.on('close', finish);
		// A stream that was over before we came says nothing any more.
		if (this.#stream.destroyed || this.#stream.readableEnded) queueMicrotask(finish);
	}

	/** Deliver nothing more, not even what is left of the last chunk. */
	stop(): void {
		this.#isOver = true;
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
			if (this.#isOver) return;
			if (typeof line === 'string') receiver.message(line);
			else receiver.oversize(line);
		}
	}
}
