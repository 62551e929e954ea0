/*
 * A semaphore with a bounded queue: so many work at once, so many wait in order, and the next
 * one is refused.
 *
 * It is used for calls of a server, runs of tools and starts of servers. Those that wait may be
 * given up by a signal or a deadline. A place is passed on without being free in between, so
 * nobody overtakes the queue.
 */
import { OrchestraError } from '../errors.ts';
import { onAbort } from './abortable.ts';
import { timerMs } from './clock.ts';

export interface SemaphoreOptions<Tag> {
	/** Most that work at once. */
	readonly limit: number;
	/** Most that wait. Default: any number. */
	readonly queueLimit?: number | undefined;
	/** The error for one that is refused because the queue is full. */
	readonly refuse?: (() => OrchestraError) | undefined;
	/** Whether one that waits goes before the others. Default: none does. */
	readonly isUrgent?: ((tag: Tag) => boolean) | undefined;
	/** Places besides `limit` for an urgent one. Default: none. */
	readonly urgentPlaces?: (() => number) | undefined;
}

/** How long one waits. */
export interface SemaphoreWait {
	readonly signal?: AbortSignal | undefined;
	/** Gives up after so many milliseconds, with the error of `late`. Default: never. */
	readonly timeoutMs?: number | undefined;
	readonly late?: (() => OrchestraError) | undefined;
}

interface Waiting<Tag> {
	readonly tag: Tag;
	readonly begin: () => void;
}

export class Semaphore<Tag = undefined> {
	readonly #options: SemaphoreOptions<Tag>;
	readonly #waiting: Waiting<Tag>[] = [];
	#running = 0;
	#whenIdle: (() => void)[] = [];

	constructor(options: SemaphoreOptions<Tag>) {
		this.#options = options;
	}

	/** How many work and wait. */
	get size(): number {
		return this.#running + this.#waiting.length;
	}

	get waitingCount(): number {
		return this.#waiting.length;
	}

	/** Take a place if one is free. The caller calls `leave` in the end. */
	tryEnter(tag: Tag): boolean {
		if (!this.#hasPlace(this.#isUrgent(tag))) return false;
		this.#running++;
		return true;
	}

	/**
	 * Take a place, at once (undefined) or later. Throws when the queue is full; rejects when the wait is given up. The
	 * caller calls `leave` in the end.
	 */
	enter(tag: Tag, wait: () => SemaphoreWait): Promise<void> | undefined {
		if (this.tryEnter(tag)) return undefined;
		const { queueLimit = Number.POSITIVE_INFINITY, refuse } = this.#options;
		if (this.#waiting.length >= queueLimit)
			throw refuse?.() ?? new OrchestraError('closed', `${this.#waiting.length} wait already`);
		return this.#wait(tag, wait());
	}

	/** Do `work` in a place. Rejects when the queue is full and when the wait is given up, without doing it. */
	async run<T>(tag: Tag, wait: SemaphoreWait, work: () => Promise<T>): Promise<T> {
		await this.enter(tag, () => wait);
		try {
			return await work();
		} finally {
			this.leave();
		}
	}

	/** Give the place back. */
	leave(): void {
		this.#running--;
		if (this.#waiting.length > 0) this.admit();
		if (this.#whenIdle.length > 0 && this.size === 0)
			for (const resolve of this.#whenIdle.splice(0)) resolve();
	}

	/** There may be another place for one that waits. */
	admit(): void {
		const urgent = this.#waiting.findIndex(({ tag }) => this.#isUrgent(tag));
		if (!this.#hasPlace(urgent !== -1)) return;
		const [next] = this.#waiting.splice(Math.max(0, urgent), 1);
		if (next === undefined) return;
		this.#running++;
		next.begin();
	}

	/** Resolves when nobody works or waits. */
	idle(): Promise<void> {
		return this.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
	}

	#isUrgent(tag: Tag): boolean {
		return this.#options.isUrgent?.(tag) ?? false;
	}

	#hasPlace(isUrgent: boolean): boolean {
		const { limit, urgentPlaces } = this.#options;
		return this.#running < limit + (isUrgent ? (urgentPlaces?.() ?? 0) : 0);
	}

	#wait(tag: Tag, { signal, timeoutMs, late }: SemaphoreWait): Promise<void> {
		return new Promise((resolve, reject) => {
			const settle = (end: () => void): void => {
				clearTimeout(timer);
				stop();
				end();
			};
			const giveUp = (error: OrchestraError): void => {
				const at = this.#waiting.indexOf(waiting);
				if (at !== -1) this.#waiting.splice(at, 1);
				settle(() => reject(error));
			};
			const waiting: Waiting<Tag> = { tag, begin: () => settle(resolve) };
			const timer =
				timeoutMs === undefined
					? undefined
					: setTimeout(
							() => giveUp(late?.() ?? new OrchestraError('timeout', `waited ${timeoutMs} ms`)),
							timerMs(timeoutMs),
						);
			let stop = (): void => {};
			this.#waiting.push(waiting);
			stop = onAbort(signal, () => giveUp(OrchestraError.from(signal?.reason, 'canceled')));
		});
	}
}
