/* A map with a bounded number of entries: the one that was set longest ago is dropped first. */

/** `set` makes an entry the newest one, also when it was there before. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	readonly #limit: number;

	constructor(limit: number) {
		super();
		this.#limit = limit;
	}

	override set(key: Key, value: Value): this {
		this.delete(key);
		super.set(key, value);
		if (this.size <= this.#limit) return this;
		for (const oldest of this.keys()) {
			this.delete(oldest);
			break;
		}
		return this;
	}
}
