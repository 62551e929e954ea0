/*
 * A child and all its descendants: its process group, and the marked processes that left it.
 *
 * The leader may be long gone while others live on; the family is gone only when none
 * is left. There is no event for that, so it is polled.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ASK_AGAIN_MS, ASKS_PER_PROC_SCAN, hasLivingMember, isLivingMember, signalGroup } from './group.ts';
import { findMarked, isMarked, type Origin } from './marked-processes.ts';

export class Family {
	readonly #origin: Origin;
	readonly #mark: string | undefined;
	#strays: number[] = [];
	#lastSignal: NodeJS.Signals = 'SIGTERM';

	/** `origin` leads the group; `mark` is what its descendants inherit, when they have one. */
	constructor(origin: Origin, mark: string | undefined) {
		this.#origin = origin;
		this.#mark = mark;
	}

	/** Send a signal to every process of the family; false when none is left. */
	signal(signal: NodeJS.Signals): boolean {
		this.#lastSignal = signal;
		const hasGroup = signalGroup(this.#origin.pid, signal);
		return this.#signalStrays() || hasGroup;
	}

	/** Wait until nobody of the family lives; false when `ms` passed first. */
	async gone(ms: number): Promise<boolean> {
		const giveUpAt = performance.now() + ms;
		for (let asks = 1; this.#isAnyLeft(asks); asks++) {
			if (performance.now() >= giveUpAt) return false;
			await sleep(ASK_AGAIN_MS);
		}
		return true;
	}

	#isAnyLeft(asks: number): boolean {
		const { pid } = this.#origin;
		const isScan = asks % ASKS_PER_PROC_SCAN === 0;
		if (signalGroup(pid, 0) && !(isScan && !hasLivingMember(pid))) return true;
		if (this.#strays.some((stray) => isMarked(stray, this.#mark ?? ''))) return true;
		// All that we knew are gone; those that they started meanwhile get the same signal.
		return this.#signalStrays();
	}

	/** Signal the marked processes outside the group; to those inside, a second signal could mean to stop without finishing. */
	#signalStrays(): boolean {
		const marked = this.#mark === undefined ? [] : findMarked(this.#mark, this.#origin);
		this.#strays = marked.filter((pid) => !isLivingMember(pid, this.#origin.pid));
		for (const pid of this.#strays) {
			try {
				process.kill(pid, this.#lastSignal);
			} catch {
				// It ended just now, or changed its user: nothing that we can do about it.
			}
		}
		return this.#strays.length > 0;
	}
}
