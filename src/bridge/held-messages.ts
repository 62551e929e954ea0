/*
 * Messages that came while there is no connection. Each waits for one until its
 * deadline, and is then given back to be refused; none of them was ever sent.
 */

import type { Head } from './head.ts';
import { HELD_CHARACTERS, HELD_MESSAGES } from './limits.ts';

export interface HeldMessage {
	readonly text: string;
	readonly head: Head;
}

interface Entry extends HeldMessage {
	dueAt: number;
}

export class HeldMessages {
	readonly #onLate: (message: HeldMessage) => void;
	#entries: Entry[] = [];
	#characters = 0;
	#timer: NodeJS.Timeout | undefined;

	constructor(onLate: (message: HeldMessage) => void) {
		this.#onLate = onLate;
	}

	get isEmpty(): boolean {
		return this.#entries.length === 0;
	}

	/** More than is good: stop reading. */
	get isFull(): boolean {
		return this.#entries.length >= HELD_MESSAGES || this.#characters >= HELD_CHARACTERS;
	}

	add(message: HeldMessage, waitMs: number): void {
		this.#entries.push({ ...message, dueAt: performance.now() + waitMs });
		this.#characters += message.text.length;
		this.#arm();
	}

	/** Nothing waits longer than this from now on. */
	shorten(waitMs: number): void {
		const latest = performance.now() + waitMs;
		for (const entry of this.#entries) entry.dueAt = Math.min(entry.dueAt, latest);
		this.#arm();
	}

	/**
	 * Nobody wants an answer to this request any more. False when somebody still has to hear of that: the
	 * request is not here, or it is part of a batch that is sent whole.
	 */
	drop(id: string): boolean {
		const at = this.#entries.findIndex(({ head }) => head.kind === 'request' && head.id === id);
		const [dropped] = at === -1 ? [] : this.#entries.splice(at, 1);
		this.#characters -= dropped?.text.length ?? 0;
		for (const { head } of this.#entries) {
			if (head.kind === 'batch')
				head.parts = head.parts.filter((part) => part.kind !== 'request' || part.id !== id);
		}
		return dropped !== undefined;
	}

	/** Take everything, in the order in which it came. */
	takeAll(): HeldMessage[] {
		clearTimeout(this.#timer);
		const all = this.#entries;
		this.#entries = [];
		this.#characters = 0;
		return all;
	}

	#arm(): void {
		clearTimeout(this.#timer);
		const [first] = this.#entries;
		if (first) this.#timer = setTimeout(() => this.#sweep(), Math.max(0, first.dueAt - performance.now()));
	}

	/** Deadlines come in the order of arrival. */
	#sweep(): void {
		while (this.#entries[0] && this.#entries[0].dueAt <= performance.now()) {
			const entry = this.#entries.shift();
			if (entry === undefined) break;
			this.#characters -= entry.text.length;
			this.#onLate(entry);
		}
		this.#arm();
	}
}
