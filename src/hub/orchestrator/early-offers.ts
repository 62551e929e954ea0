/*
 * What some backends have said already while others are still asked: a call need not
 * wait for a plugin that hangs at its start when another one has the tool.
 */
import type { Backend } from '../backends/backend.ts';
import type { Offer } from '../named-list.ts';

export class EarlyOffers<T> {
	readonly #offers = new Map<Backend, readonly T[]>();
	#looking: (() => void)[] = [];

	add({ backend, items }: Offer<T>): void {
		this.#offers.set(backend, items);
		for (const look of this.#looking) look();
	}

	/** What this backend said; undefined when it has not yet. */
	of(backend: Backend): readonly T[] | undefined {
		return this.#offers.get(backend);
	}

	/** What `look` finds, now or after one more backend has answered; never resolves when it finds nothing. */
	find<R>(look: () => R | undefined): Promise<R> {
		return new Promise((resolve) => {
			const tryOnce = (): void => {
				const found = look();
				if (found === undefined) return;
				this.#looking = this.#looking.filter((other) => other !== tryOnce);
				resolve(found);
			};
			this.#looking.push(tryOnce);
			tryOnce();
		});
	}
}
