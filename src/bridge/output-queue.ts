/*
 * Output to the client, with backpressure.
 *
 * A client may write much before it reads, so output is queued and never awaited.
 * The relay queues new requests while `isFull` and stops reading from the hub while
 * `isOverLimit`, so the queue is bounded. A client that reads nothing for `stalledMs`
 * is treated as gone.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Channel } from '../rpc/channel.ts';
import { HIGH_WATER_BYTES } from '../transport/transport-limits.ts';
import { oneLine } from '../wire/json-text.ts';
import { OUTPUT_CHARACTERS, STALLED_MS } from './bridge-limits.ts';

export interface OutputQueueEvents {
	/** The pipe has drained: requests may be taken again. */
	onDrain(): void;
	/** The queue went over its limit: pause the source (true), or resume it (false). */
	onLimit(isOverLimit: boolean): void;
	/** The client has read nothing for `stalledMs`. Called at most once. */
	onStalled(): void;
}

export interface OutputQueueOptions {
	/** How long the client may read nothing while its pipe is full. Default 60 s. */
	stalledMs?: number | undefined;
	log: Log;
}

export class OutputQueue {
	readonly #client: Pick<Channel, 'post' | 'flushed'>;
	readonly #events: OutputQueueEvents;
	readonly #stalledMs: number;
	readonly #log: Log;
	/** Queued characters while the pipe is full: at the last flush, and posted since. */
	#before = 0;
	#since = 0;
	#isFull = false;
	#isOverLimit = false;
	#timer: NodeJS.Timeout | undefined;

	constructor(
		client: Pick<Channel, 'post' | 'flushed'>,
		events: OutputQueueEvents,
		{ stalledMs = STALLED_MS, log }: OutputQueueOptions,
	) {
		this.#client = client;
		this.#events = events;
		this.#stalledMs = stalledMs;
		this.#log = log;
	}

	/** The queue is above the high-water mark: take no new requests. */
	get isFull(): boolean {
		return this.#isFull;
	}

	/** The queue is over its limit: stop reading from the hub. */
	get isOverLimit(): boolean {
		return this.#isOverLimit;
	}

	/** Queue one message. It is dropped when the client is gone. */
	post(text: string): void {
		try {
			this.#post(oneLine(text));
		} catch (thrown) {
			// The end of the client's input reports this as well.
			this.#log.debug(`a message to the client was dropped: ${messageOf(thrown)}`);
		}
	}

	/** Stop the timer. */
	close(): void {
		clearTimeout(this.#timer);
	}

	#post(line: string): void {
		const hasRoom = this.#client.post(line);
		if (!this.#isFull) {
			if (hasRoom) return;
			this.#isFull = true;
			this.#before = HIGH_WATER_BYTES;
			this.#awaitFlush();
		} else this.#since += line.length;
		if (!this.#isOverLimit && this.#before + this.#since > OUTPUT_CHARACTERS) this.#setOverLimit(true);
	}

	#awaitFlush(): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#giveUp(), this.#stalledMs);
		const release = (): void => this.#flushed();
		// A broken pipe is reported by its end.
		this.#client.flushed().then(release, release);
	}

	/** Everything queued before the flush is written; as much may have been posted since. */
	#flushed(): void {
		this.#before = this.#since;
		this.#since = 0;
		if (this.#isOverLimit && this.#before <= OUTPUT_CHARACTERS / 2) this.#setOverLimit(false);
		if (this.#before >= HIGH_WATER_BYTES) return this.#awaitFlush();
		clearTimeout(this.#timer);
		this.#isFull = false;
		this.#events.onDrain();
	}

	#giveUp(): void {
		const [seconds, waiting] = [this.#stalledMs / 1000, this.#before + this.#since];
		this.#log.error(
			`the client has read nothing for ${seconds} s while ${waiting} characters are queued for it; closing`,
		);
		this.#events.onStalled();
	}

	#setOverLimit(isOverLimit: boolean): void {
		this.#isOverLimit = isOverLimit;
		this.#events.onLimit(isOverLimit);
	}
}
