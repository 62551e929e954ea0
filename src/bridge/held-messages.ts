/*
 * Messages of the client that wait: for a connection, until their deadline, or for
 * room in a pipe that is full. None of them was ever sent; one whose deadline
 * passes is given back to be refused. While too much waits, the client is not read.
 */
import type { Channel } from '../rpc/channel.ts';
import { HELD_CHARACTERS, HELD_MESSAGE_CHARACTERS } from './bridge-limits.ts';
import type { Head } from './message-head.ts';

export interface HeldMessage {
	readonly text: string;
	readonly head: Head;
}

interface Entry extends HeldMessage {
	dueAt: number;
}

/** Entries that were taken are cut off when there are so many of them. */
const TAKEN_ENTRIES = 1024;

export class HeldMessages {
	readonly #source: Pick<Channel, 'pause' | 'resume'>;
	readonly #onLate: (message: HeldMessage) => void;
	#entries: Entry[] = [];
	/** Where the first entry is that is still here: removing each from the front would move all others. */
	#first = 0;
	#characters = 0;
	#timer: NodeJS.Timeout | undefined;
	#isPaused = false;

	/** @param source the client, which is paused while too much waits */
	constructor(source: Pick<Channel, 'pause' | 'resume'>, onLate: (message: HeldMessage) => void) {
		this.#source = source;
		this.#onLate = onLate;
	}

	get isEmpty(): boolean {
		return this.#first === this.#entries.length;
	}

	/** @param waitMs `Infinity` for a message that only waits for room */
	add(message: HeldMessage, waitMs: number): void {
		this.#entries.push({ ...message, dueAt: performance.now() + waitMs });
		this.#count(costOf(message));
		if (this.#entries.length - this.#first === 1) this.#arm();
	}

	/** Nothing waits longer than this from now on. */
	shorten(waitMs: number): void {
		const latest = performance.now() + waitMs;
		for (const entry of this.#waiting()) entry.dueAt = Math.min(entry.dueAt, latest);
		this.#arm();
	}

	/** There is a connection again: what is left waits for room only. */
	lengthen(): void {
		for (const entry of this.#waiting()) entry.dueAt = Number.POSITIVE_INFINITY;
		this.#arm();
	}

	/**
	 * Nobody wants an answer to this request any more. False when somebody still has to hear of that: the
	 * request is not here, or it is part of a batch that is sent whole.
	 */
	drop(id: string): boolean {
		const waiting = this.#waiting();
		const at = waiting.findIndex(({ head }) => head.kind === 'request' && head.id === id);
		const dropped = waiting[at];
		if (dropped) {
			waiting.splice(at, 1);
			this.#entries = waiting;
			this.#first = 0;
			this.#count(-costOf(dropped));
		}
		for (const { head } of waiting) {
			if (head.kind === 'batch')
				head.parts = head.parts.filter((part) => part.kind !== 'request' || part.id !== id);
		}
		return dropped !== undefined;
	}

	/** Take the message that has waited longest. */
	shift(): HeldMessage | undefined {
		const entry = this.#entries[this.#first];
		if (entry === undefined) return undefined;
		this.#first++;
		this.#count(-costOf(entry));
		if (this.#first >= TAKEN_ENTRIES && this.#first * 2 >= this.#entries.length) {
			this.#entries = this.#waiting();
			this.#first = 0;
		}
		if (this.isEmpty) clearTimeout(this.#timer);
		return entry;
	}

	/** Take everything, in the order in which it came. */
	takeAll(): HeldMessage[] {
		clearTimeout(this.#timer);
		const all = this.#waiting();
		this.#entries = [];
		this.#first = 0;
		this.#count(-this.#characters);
		return all;
	}

	#count(characters: number): void {
		this.#characters += characters;
		const isFull = this.#characters >= HELD_CHARACTERS;
		if (isFull === this.#isPaused) return;
		this.#isPaused = isFull;
		if (isFull) this.#source.pause();
		else this.#source.resume();
	}

	#waiting(): Entry[] {
		return this.#entries.slice(this.#first);
	}

	/** Deadlines come in the order of arrival. */
	#arm(): void {
		const first = this.#entries[this.#first];
		clearTimeout(this.#timer);
		if (first && first.dueAt < Number.POSITIVE_INFINITY)
			this.#timer = setTimeout(() => this.#sweep(), Math.max(0, first.dueAt - performance.now()));
	}

	#sweep(): void {
		for (;;) {
			const first = this.#entries[this.#first];
			if (first === undefined || first.dueAt > performance.now()) break;
			this.shift();
			this.#onLate(first);
		}
		this.#arm();
	}
}

function costOf({ text }: HeldMessage): number {
	return text.length + HELD_MESSAGE_CHARACTERS;
}
