/*
 * Calls in flight by their keys: a map whose entries come and go with every call.
 *
 * When a `Map` replaces its table, V8 keeps the values in the old table and links it to
 * the new one. Once such a table is in the old generation, it keeps every later table and
 * all calls in them from the cheap garbage collections, which then take several times as
 * long. Here a value is in a cell, which is emptied on removal.
 */

interface Cell<Value> {
	value: Value | undefined;
}

export class CallTable<Key, Value extends object> {
	readonly #cells = new Map<Key, Cell<Value>>();

	get size(): number {
		return this.#cells.size;
	}

	has(key: Key): boolean {
		return this.#cells.has(key);
	}

	get(key: Key): Value | undefined {
		return this.#cells.get(key)?.value;
	}

	set(key: Key, value: Value): void {
		const cell = this.#cells.get(key);
		if (cell) cell.value = value;
		else this.#cells.set(key, { value });
	}

	/** Remove an entry and return its value; undefined when there is none. */
	take(key: Key): Value | undefined {
		const cell = this.#cells.get(key);
		if (cell === undefined) return undefined;
		this.#cells.delete(key);
		const { value } = cell;
		cell.value = undefined;
		return value;
	}

	clear(): void {
		for (const key of this.#cells.keys()) this.take(key);
	}

	/** Faster than a loop over the entries. Entries may be removed meanwhile. */
	forEach(visit: (value: Value, key: Key) => void): void {
		this.#cells.forEach(({ value }, key) => {
			if (value !== undefined) visit(value, key);
		});
	}

	/** In the order of their arrival. Entries may be removed meanwhile. */
	*entries(): Generator<[Key, Value], undefined> {
		for (const [key, { value }] of this.#cells) if (value !== undefined) yield [key, value];
	}

	*values(): Generator<Value, undefined> {
		for (const { value } of this.#cells.values()) if (value !== undefined) yield value;
	}
}
