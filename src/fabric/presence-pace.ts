/*
 * How often a worker writes its presence. Every hub receives every presence, so in a large
 * fabric workers write half as often. A worker estimates the size of the fabric from the
 * revisions of the bucket, which count the writes of all. Pure.
 */
import { LARGE_FABRIC_WORKERS, PRESENCE_EVERY_MS, PRESENCE_SLOW_MS } from './fabric-timers.ts';

export class PresencePace {
	#everyMs = PRESENCE_EVERY_MS;
	#last: { revision: number; at: number } | undefined;

	get everyMs(): number {
		return this.#everyMs;
	}

	/** This worker wrote its presence with this revision. */
	wrote(revision: number, now: number): void {
		const last = this.#last;
		this.#last = { revision, at: now };
		if (last === undefined || now <= last.at || revision <= last.revision) return;
		// All workers write at about the same pace, so this many wrote once in the meantime.
		const workers = ((revision - last.revision) * this.#everyMs) / (now - last.at);
		this.#everyMs = workers > LARGE_FABRIC_WORKERS ? PRESENCE_SLOW_MS : PRESENCE_EVERY_MS;
	}
}
