/* Calls and failures of each backend in each of the last 30 minutes. */
import { COUNTED_SOURCES_LIMIT } from '../dashboard-limits.ts';

const MINUTES = 30;
const MINUTE_MS = 60_000;

interface Counts {
	readonly calls: Uint32Array;
	readonly failures: Uint32Array;
	/** The newest minute that is counted. */
	minute: number;
}

export class MinuteCounts {
	readonly #backends = new Map<string, Counts>();
	readonly #now: () => number;

	/** @param now milliseconds since 1970 */
	constructor(now: () => number = Date.now) {
		this.#now = now;
	}

	/** A call ended. @param at milliseconds since 1970; default now */
	add(backend: string, isFailed: boolean, at?: number): void {
		const counts = this.#countsOf(backend);
		if (counts === undefined) return;
		const current = this.#advance(counts);
		const minute = at === undefined ? current : Math.min(current, Math.floor(at / MINUTE_MS));
		if (minute <= current - MINUTES) return;
		const slot = minute % MINUTES;
		counts.calls[slot] = (counts.calls[slot] ?? 0) + 1;
		if (isFailed) counts.failures[slot] = (counts.failures[slot] ?? 0) + 1;
	}

	/** Calls per minute, the current minute last, and the part of them that failed. */
	of(backend: string): { callsPerMinute: number[]; errorRate: number } {
		const counts = this.#backends.get(backend);
		if (counts === undefined)
			return { callsPerMinute: Array.from({ length: MINUTES }, () => 0), errorRate: 0 };
		const first = this.#advance(counts) + 1;
		const callsPerMinute = Array.from(
			{ length: MINUTES },
			(_, index) => counts.calls[(first + index) % MINUTES] ?? 0,
		);
		const sum = (values: Iterable<number>): number => [...values].reduce((one, other) => one + other, 0);
		const calls = sum(callsPerMinute);
		const rate = calls === 0 ? 0 : sum(counts.failures) / calls;
		return { callsPerMinute, errorRate: Math.round(rate * 1000) / 1000 };
	}

	#countsOf(backend: string): Counts | undefined {
		const known = this.#backends.get(backend);
		if (known || this.#backends.size >= COUNTED_SOURCES_LIMIT) return known;
		const fresh = {
			calls: new Uint32Array(MINUTES),
			failures: new Uint32Array(MINUTES),
			minute: Math.floor(this.#now() / MINUTE_MS),
		};
		this.#backends.set(backend, fresh);
		return fresh;
	}

	/** Clear the minutes without calls. Returns the current minute. */
	#advance(counts: Counts): number {
		const minute = Math.floor(this.#now() / MINUTE_MS);
		const passed = Math.min(MINUTES, minute - counts.minute);
		for (let step = 1; step <= passed; step++) {
			counts.calls[(counts.minute + step) % MINUTES] = 0;
			counts.failures[(counts.minute + step) % MINUTES] = 0;
		}
		counts.minute = Math.max(minute, counts.minute);
		return counts.minute;
	}
}
