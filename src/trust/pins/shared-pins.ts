/*
 * The pins of all lock files that a hub uses: servers of one file share one store. The
 * code of a store is not imported here: every hub has this object from its start.
 */
import type { PinPlace } from './pin-place.ts';
import type { PinStore } from './pin-store.ts';

export class SharedPins {
	readonly #stores = new Map<string, PinStore>();

	/** The store of a place; `open` creates the first. */
	at(place: PinPlace, open: (place: PinPlace) => PinStore): PinStore {
		const store = this.#stores.get(place.lockFile) ?? open(place);
		this.#stores.set(place.lockFile, store);
		return store;
	}
}
