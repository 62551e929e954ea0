/*
 * Backpressure of the client's pipe.
 *
 * A client may write much before it reads. What goes to it is queued, never waited
 * for; the relay holds new requests back while `isFull`, and stops reading from
 * the hub only while `isFlooded`, so the queue is bounded. A client that reads
 * nothing for a whole deadline is given up.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Channel } from '../rpc/channel.ts';
import { HIGH_WATER_BYTES } from '../transport/transport.ts';
import { UNREAD_CHARACTERS, UNREAD_MS } from './bridge-limits.ts';

export interface ClientOutputEvents {
	/** There is room again, or much less is waiting. */
	onRoom(): void;
	/** More waits than may: stop whatever produces it (true), or go on (false). */
	onFlood(isFlooded: boolean): void;
	/** The client has read nothing for `unreadMs`: it is given up. Called at most once. */
	onUnread(): void;
}

export interface ClientOutputOptions {
	/** How long the client may read nothing while more than the high-water mark waits. Default 60 s. */
	unreadMs?: number | undefined;
	log: Log;
}

export class ClientOutput {
	readonly #client: Pick<Channel, 'post' | 'flushed'>;
	readonly #events: ClientOutputEvents;
	readonly #unreadMs: number;
	readonly #log: Log;
	/** Characters that wait, while the pipe is full: at the last flush, and posted since. */
	#before = 0;
	#since = 0;
	#isFull = false;
	#isFlooded = false;
	#timer: NodeJS.Timeout | undefined;

	constructor(
		client: Pick<Channel, 'post' | 'flushed'>,
		events: ClientOutputEvents,
		{ unreadMs = UNREAD_MS, log }: ClientOutputOptions,
	) {
		this.#client = client;
		this.#events = events;
		this.#unreadMs = unreadMs;
		this.#log = log;
	}

	/** More than the high-water mark waits: take no new requests. */
	get isFull(): boolean {
		return this.#isFull;
	}

	/** More waits than may: produce no more. */
	get isFlooded(): boolean {
		return this.#isFlooded;
	}

	/** Queue one message. One that cannot be delivered, because the client is gone, is dropped. */
	post(text: string): void {
		try {
			// A line is a message; JSON needs no line breaks, and a hub that writes some means nothing by it.
			this.#post(text.includes('\n') ? text.replaceAll(/[\r\n]+/g, ' ') : text);
		} catch (thrown) {
			// The end of the client's input says so as well.
			this.#log.debug(`a message could not be delivered: ${messageOf(thrown)}`);
		}
	}

	/** Wait for nothing any more. */
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
		if (!this.#isFlooded && this.#before + this.#since > UNREAD_CHARACTERS) this.#flood(true);
	}

	#awaitFlush(): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#giveUp(), this.#unreadMs);
		const release = (): void => this.#flushed();
		// A pipe that broke meanwhile says so by its end.
		this.#client.flushed().then(release, release);
	}

	/** What waited before is out. What was posted meanwhile may be as much again. */
	#flushed(): void {
		this.#before = this.#since;
		this.#since = 0;
		if (this.#isFlooded && this.#before <= UNREAD_CHARACTERS / 2) this.#flood(false);
		if (this.#before >= HIGH_WATER_BYTES) return this.#awaitFlush();
		clearTimeout(this.#timer);
		this.#isFull = false;
		this.#events.onRoom();
	}

	#giveUp(): void {
		const [seconds, waiting] = [this.#unreadMs / 1000, this.#before + this.#since];
		this.#log.error(
			`the client has read nothing for ${seconds} s while ${waiting} characters wait; giving up`,
		);
		this.#events.onUnread();
	}

	#flood(isFlooded: boolean): void {
		this.#isFlooded = isFlooded;
		this.#events.onFlood(isFlooded);
	}
}
