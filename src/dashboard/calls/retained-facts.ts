/*
 * The facts of the last calls, and of the last ones that failed or were slow.
 *
 * Thousands of calls per second push a failed one out of the last calls before a user
 * reads about it, so it is retained apart. All facts together have one budget: the oldest
 * are dropped first, and when calls in flight alone exceed it, their messages.
 */
import type { CallEnd, StartedCall } from '../../hub/call-feed.ts';
import type { DashboardLimits } from '../dashboard-limits.ts';
import { CallFacts } from './call-facts.ts';

export type DetailLimits = Pick<DashboardLimits, 'details' | 'detailCharacters' | 'slowMs'>;

/** The facts of one call. They are counted until the last holder drops them. */
export interface RetainedCall {
	readonly number: number;
	readonly facts: CallFacts;
	holders: number;
	/** Whether an event had its row. */
	isShown: boolean;
}

export class RetainedFacts {
	readonly #limits: DetailLimits;
	readonly #last: FactList;
	readonly #notable: FactList;
	#characters = 0;

	constructor(limits: DetailLimits) {
		this.#limits = limits;
		this.#last = new FactList(limits.details, (retained) => this.#release(retained));
		this.#notable = new FactList(limits.details, (retained) => this.#release(retained));
	}

	begin(number: number, call: StartedCall): RetainedCall {
		return this.#retain(number, new CallFacts(call));
	}

	/** The facts of a call that has ended. */
	add(number: number, facts: CallFacts): void {
		this.#release(this.#retain(number, facts));
	}

	notified(open: RetainedCall, method: string, params: Readonly<Record<string, unknown>>): void {
		const before = open.facts.characters;
		open.facts.notified(method, params);
		this.#characters += open.facts.characters - before;
		this.#trim(open);
	}

	ended(open: RetainedCall, end: CallEnd): void {
		const isFailed = end.outcome === 'failed' || end.outcome === 'error';
		if (isFailed || end.ms >= this.#limits.slowMs) this.#notable.add(open);
		const before = open.facts.characters;
		open.facts.ended(end);
		this.#characters += open.facts.characters - before;
		this.#trim(open);
		this.#release(open);
	}

	/** The facts of a call that has ended or is among the last ones; undefined when they are not retained. */
	find(number: number): CallFacts | undefined {
		return this.#last.find(number) ?? this.#notable.find(number);
	}

	#retain(number: number, facts: CallFacts): RetainedCall {
		const retained: RetainedCall = { number, facts, holders: 1, isShown: false };
		this.#characters += facts.characters;
		this.#last.add(retained);
		this.#trim(retained);
		return retained;
	}

	#trim({ facts }: RetainedCall): void {
		while (this.#characters > this.#limits.detailCharacters) {
			const longer = this.#last.size >= this.#notable.size ? this.#last : this.#notable;
			if (longer.dropOldest()) continue;
			this.#characters -= facts.characters;
			facts.dropMessages();
			this.#characters += facts.characters;
			return;
		}
	}

	#release(retained: RetainedCall): void {
		if (--retained.holders === 0) this.#characters -= retained.facts.characters;
	}
}

/** The oldest is the first of the map. */
class FactList {
	readonly #limit: number;
	readonly #onDropped: (retained: RetainedCall) => void;
	readonly #calls = new Map<number, RetainedCall>();

	constructor(limit: number, onDropped: (retained: RetainedCall) => void) {
		this.#limit = limit;
		this.#onDropped = onDropped;
	}

	get size(): number {
		return this.#calls.size;
	}

	add(retained: RetainedCall): void {
		if (this.size === this.#limit) this.dropOldest();
		retained.holders++;
		this.#calls.set(retained.number, retained);
	}

	/** False when it is empty. */
	dropOldest(): boolean {
		for (const [number, retained] of this.#calls) {
			this.#calls.delete(number);
			this.#onDropped(retained);
			return true;
		}
		return false;
	}

	find(number: number): CallFacts | undefined {
		return this.#calls.get(number)?.facts;
	}
}
