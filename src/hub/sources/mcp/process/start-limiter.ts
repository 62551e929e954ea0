/*
 * Bounds how many MCP servers of a hub start at the same time: a hundred programs that
 * start together take longer than one after the other, and block the machine.
 *
 * Urgent starts, those for calls and of servers that were never seen, go before those in the
 * background. Each begins in a turn of the event loop of its own, because a spawn blocks for
 * milliseconds. A start that takes long gives its slot to an urgent one, so that servers that
 * hang delay no call and hide no other server from the first list.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OrchestraError } from '../../../../errors.ts';
import { Semaphore } from '../../../../rpc/semaphore.ts';
import { SLOT_MS, STARTS_AT_ONCE } from '../../source-limits.ts';

export interface LimitedStart<T> {
	readonly start: () => Promise<T>;
	/** Ends the wait for a slot. */
	readonly signal: AbortSignal;
	/** True when a client waits for it; read when a slot is free. */
	readonly isUrgent: () => boolean;
}

export class StartLimiter {
	readonly #slotMs: number;
	/** The running starts that have had their slot too long: an urgent start does not count them. */
	#overdue = 0;
	readonly #slots = new Semaphore<() => boolean>({
		limit: STARTS_AT_ONCE,
		isUrgent: (isUrgent) => isUrgent(),
		urgentPlaces: () => this.#overdue,
	});
	/** Resolves when the last start has begun. */
	#begun: Promise<void> = Promise.resolve();

	/** @param slotMs how long a start may hold its slot while an urgent one waits */
	constructor(slotMs: number = SLOT_MS) {
		this.#slotMs = slotMs;
	}

	/** Run a start in a slot. Rejects when its signal is aborted before a slot is free. */
	async run<T>({ start, signal, isUrgent }: LimitedStart<T>): Promise<T> {
		// The urgent starts of this turn go first.
		if (!isUrgent()) await nextTurn();
		if (signal.aborted) throw OrchestraError.from(signal.reason, 'canceled');
		await this.#slots.enter(isUrgent, () => ({ signal }));
		let isOverdue = false;
		let timer: NodeJS.Timeout | undefined;
		try {
			await this.#nextStartTurn();
			signal.throwIfAborted();
			// Again and again, because a start that waits may become urgent.
			timer = setInterval(() => {
				if (!isOverdue) this.#overdue++;
				isOverdue = true;
				this.#slots.admit();
			}, this.#slotMs).unref();
			return await start();
		} finally {
			clearInterval(timer);
			if (isOverdue) this.#overdue--;
			this.#slots.leave();
		}
	}

	#nextStartTurn(): Promise<void> {
		this.#begun = this.#begun.then(() => nextTurn());
		return this.#begun;
	}
}
