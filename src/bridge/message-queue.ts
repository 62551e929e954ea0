/*
 * The queue of client messages that cannot be sent yet: they wait for a connection,
 * until a deadline, or for a full pipe to drain. No queued message was ever sent. A
 * message that misses its deadline is passed to `onLate`. Above the high-water mark
 * the client is not read.
 */
import type { Channel } from '../rpc/channel.ts';
import { Fifo } from '../wire/fifo.ts';
import { QUEUE_CHARACTERS, QUEUED_MESSAGE_CHARACTERS } from './bridge-limits.ts';
import type { ClientMessage } from './message-head.ts';

interface Entry extends ClientMessage {
	dueAt: number;
}

export class MessageQueue {
	readonly #source: Pick<Channel, 'pause' | 'resume'>;
	readonly #onLate: (message: ClientMessage) => void;
	readonly #entries = new Fifo<Entry>();
	#characters = 0;
	#timer: NodeJS.Timeout | undefined;
	#isPaused = false;

	/** @param source the client, paused while the queue is full */
	constructor(source: Pick<Channel, 'pause' | 'resume'>, onLate: (message: ClientMessage) => void) {
		this.#source = source;
		this.#onLate = onLate;
	}

	get isEmpty(): boolean {
		return this.#entries.size === 0;
	}

	/** @param waitMs `Infinity` for a message that only waits for a pipe to drain */
	add(message: ClientMessage, waitMs: number): void {
		this.#entries.push({ ...message, dueAt: performance.now() + waitMs });
		this.#count(costOf(message));
		if (this.#entries.size === 1) this.#arm();
	}

	/** Lower every deadline to at most `waitMs` from now. */
	limitDeadlines(waitMs: number): void {
		const latest = performance.now() + waitMs;
		for (const entry of this.#entries.values()) entry.dueAt = Math.min(entry.dueAt, latest);
		this.#arm();
	}

	/** Remove every deadline: there is a connection again. */
	clearDeadlines(): void {
		for (const entry of this.#entries.values()) entry.dueAt = Number.POSITIVE_INFINITY;
		this.#arm();
	}

	/**
	 * Drop a canceled request. False when it is not queued, or is part of a batch: a batch is sent whole, and only
	 * its error responses leave the request out.
	 */
	drop(id: string): boolean {
		const waiting = this.#entries.values();
		const at = waiting.findIndex(({ head }) => head.kind === 'request' && head.id === id);
		const dropped = waiting[at];
		if (dropped) {
			waiting.splice(at, 1);
			this.#entries.replace(waiting);
			this.#count(-costOf(dropped));
		}
		for (const { head } of waiting) {
			if (head.kind === 'batch')
				head.parts = head.parts.filter((part) => part.kind !== 'request' || part.id !== id);
		}
		return dropped !== undefined;
	}

	/** Take the oldest message. */
	shift(): ClientMessage | undefined {
		const entry = this.#entries.shift();
		if (entry === undefined) return undefined;
		this.#count(-costOf(entry));
		if (this.isEmpty) clearTimeout(this.#timer);
		return entry;
	}

	/** Take all messages, in order. */
	takeAll(): ClientMessage[] {
		clearTimeout(this.#timer);
		const all = this.#entries.values();
		this.#entries.replace([]);
		this.#count(-this.#characters);
		return all;
	}

	#count(characters: number): void {
		this.#characters += characters;
		const isFull = this.#characters >= QUEUE_CHARACTERS;
		if (isFull === this.#isPaused) return;
		this.#isPaused = isFull;
		if (isFull) this.#source.pause();
		else this.#source.resume();
	}

	/** Deadlines come in the order of arrival. */
	#arm(): void {
		const first = this.#entries.head;
		clearTimeout(this.#timer);
		if (first && first.dueAt < Number.POSITIVE_INFINITY)
			this.#timer = setTimeout(() => this.#sweep(), Math.max(0, first.dueAt - performance.now()));
	}

	#sweep(): void {
		for (;;) {
			const first = this.#entries.head;
			if (first === undefined || first.dueAt > performance.now()) break;
			this.shift();
			this.#onLate(first);
		}
		this.#arm();
	}
}

function costOf({ text }: ClientMessage): number {
	return text.length + QUEUED_MESSAGE_CHARACTERS;
}
