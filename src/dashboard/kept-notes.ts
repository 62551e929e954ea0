/*
 * The notes of the last calls, and of the last ones that failed or were slow.
 *
 * Thousands of calls per second push a failed one out of the last calls before anybody
 * reads about it, so it is kept apart. All notes together have one budget: the oldest
 * are dropped first, and when calls in flight alone exceed it, their messages.
 */
import type { CallEnd, StartedCall } from '../hub/call-feed.ts';
import { CallNotes } from './call-notes.ts';
import type { DashboardLimits } from './dashboard-limits.ts';

export type NotesLimits = Pick<DashboardLimits, 'details' | 'detailCharacters' | 'slowMs'>;

/** The notes of one call. They are counted until the last holder drops them. */
export interface KeptCall {
	readonly number: number;
	readonly notes: CallNotes;
	holders: number;
	/** Whether an event had its row. */
	isShown: boolean;
}

export class KeptNotes {
	readonly #limits: NotesLimits;
	readonly #last: NotesRing;
	readonly #notable: NotesRing;
	#characters = 0;

	constructor(limits: NotesLimits) {
		this.#limits = limits;
		this.#last = new NotesRing(limits.details, (kept) => this.#release(kept));
		this.#notable = new NotesRing(limits.details, (kept) => this.#release(kept));
	}

	begin(number: number, call: StartedCall): KeptCall {
		return this.#keep(number, new CallNotes(call));
	}

	/** Notes of a call that has ended. */
	add(number: number, notes: CallNotes): void {
		this.#release(this.#keep(number, notes));
	}

	notified(open: KeptCall, method: string, params: Readonly<Record<string, unknown>>): void {
		const before = open.notes.characters;
		open.notes.notified(method, params);
		this.#characters += open.notes.characters - before;
		this.#trim(open);
	}

	ended(open: KeptCall, end: CallEnd): void {
		const isFailed = end.outcome === 'failed' || end.outcome === 'error';
		if (isFailed || end.ms >= this.#limits.slowMs) this.#notable.add(open);
		const before = open.notes.characters;
		open.notes.ended(end);
		this.#characters += open.notes.characters - before;
		this.#trim(open);
		this.#release(open);
	}

	/** Of a call that has ended or is among the last ones; undefined when they are not kept. */
	find(number: number): CallNotes | undefined {
		return this.#last.find(number) ?? this.#notable.find(number);
	}

	#keep(number: number, notes: CallNotes): KeptCall {
		const kept: KeptCall = { number, notes, holders: 1, isShown: false };
		this.#characters += notes.characters;
		this.#last.add(kept);
		this.#trim(kept);
		return kept;
	}

	#trim({ notes }: KeptCall): void {
		while (this.#characters > this.#limits.detailCharacters) {
			const longer = this.#last.size >= this.#notable.size ? this.#last : this.#notable;
			if (longer.dropOldest()) continue;
			this.#characters -= notes.characters;
			notes.dropMessages();
			this.#characters += notes.characters;
			return;
		}
	}

	#release(kept: KeptCall): void {
		if (--kept.holders === 0) this.#characters -= kept.notes.characters;
	}
}

class NotesRing {
	readonly #slots: (KeptCall | undefined)[];
	readonly #onDropped: (kept: KeptCall) => void;
	/** The positions of the oldest one and of the next one; both rise. */
	#oldest = 0;
	#next = 0;

	constructor(capacity: number, onDropped: (kept: KeptCall) => void) {
		this.#slots = Array.from({ length: capacity });
		this.#onDropped = onDropped;
	}

	get size(): number {
		return this.#next - this.#oldest;
	}

	add(kept: KeptCall): void {
		if (this.size === this.#slots.length) this.dropOldest();
		kept.holders++;
		this.#slots[this.#next++ % this.#slots.length] = kept;
	}

	/** False when it is empty. */
	dropOldest(): boolean {
		if (this.size === 0) return false;
		const slot = this.#oldest++ % this.#slots.length;
		const kept = this.#slots[slot];
		this.#slots[slot] = undefined;
		if (kept) this.#onDropped(kept);
		return true;
	}

	find(number: number): CallNotes | undefined {
		return this.#slots.find((kept) => kept?.number === number)?.notes;
	}
}
