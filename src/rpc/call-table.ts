/*
 * Calls in flight by their keys: entries come and go with every call.
 *
 * Keys are mostly numbers that count up, so an entry is at the place of the last bits of its
 * key, without a cell or a hash. A key whose place is taken, or that is a text, is in a `Map`.
 * When a `Map` replaces its table, V8 keeps the values in the old table and links it to the new
 * one. Once such a table is in the old generation, it keeps every later table and all calls in
 * them from the cheap garbage collections, which then take several times as long. So a value
 * there is in a cell, which is emptied on removal.
 */

interface Cell<Value> {
	value: Value | undefined;
}

/** Most places. */
const PLACES_LIMIT = 512;
const FIRST_PLACES = 8;
const NO_KEY = -1;

export class CallTable<Key extends string | number, Value extends object> {
	/** The key at each place; `NO_KEY` for none. */
	#keys: number[] = [];
	#values: (Value | undefined)[] = [];
	#placed = 0;
	readonly #others = new Map<Key, Cell<Value>>();

	get size(): number {
		return this.#placed + this.#others.size;
	}

	has(key: Key): boolean {
		return this.#placeOf(key) !== NO_KEY || this.#others.has(key);
	}

	get(key: Key): Value | undefined {
		const place = this.#placeOf(key);
		return place === NO_KEY ? this.#others.get(key)?.value : this.#values[place];
	}

	set(key: Key, value: Value): void {
		const cell = this.#others.size === 0 ? undefined : this.#others.get(key);
		if (cell) cell.value = value;
		else if (!this.#isPlaced(key, value)) this.#others.set(key, { value });
	}

	/** Remove an entry and return its value; undefined when there is none. */
	take(key: Key): Value | undefined {
		const place = this.#placeOf(key);
		if (place === NO_KEY) return this.#others.size === 0 ? undefined : this.#takeOther(key);
		const value = this.#values[place];
		this.#keys[place] = NO_KEY;
		this.#values[place] = undefined;
		this.#placed--;
		return value;
	}

	clear(): void {
		for (const [key] of this.entries()) this.take(key);
	}

	/** In any order, and faster than a loop over the entries. Entries may be removed meanwhile. */
	forEach(visit: (value: Value, key: Key) => void): void {
		for (let place = 0, left = this.#placed; place < this.#keys.length && left > 0; place++) {
			const value = this.#values[place];
			if (value === undefined) continue;
			left--;
			visit(value, this.#keys[place] as Key); // numbers are keys where there is a value
		}
		this.#others.forEach(({ value }, key) => {
			if (value !== undefined) visit(value, key);
		});
	}

	/** Numbers in rising order, then texts in the order of their arrival. Entries may be removed meanwhile. */
	*entries(): Generator<[Key, Value], undefined> {
		const placed = this.#keys.filter((key) => key !== NO_KEY) as Key[]; // numbers are keys where there is a value
		const keys = [...placed, ...this.#others.keys()];
		for (const key of keys.sort(byNumber)) {
			const value = this.get(key);
			if (value !== undefined) yield [key, value];
		}
	}

	*values(): Generator<Value, undefined> {
		for (const [, value] of this.entries()) yield value;
	}

	/** Where a key is; `NO_KEY` when it has no place. */
	#placeOf(key: Key): number {
		if (typeof key !== 'number' || this.#placed === 0) return NO_KEY;
		const place = key & (this.#keys.length - 1);
		return key !== NO_KEY && this.#keys[place] === key ? place : NO_KEY;
	}

	/** Put a value at the place of its key, if it has one that is free. */
	#isPlaced(key: Key, value: Value): boolean {
		if (typeof key !== 'number' || key >>> 0 !== key) return false;
		if (this.#keys.length === 0) this.#resize(FIRST_PLACES);
		let place = key & (this.#keys.length - 1);
		while (this.#keys[place] !== NO_KEY && this.#keys[place] !== key) {
			// A few long calls are no reason to grow.
			if (this.#placed < this.#keys.length / 2 || this.#keys.length >= PLACES_LIMIT) return false;
			this.#resize(this.#keys.length * 2);
			place = key & (this.#keys.length - 1);
		}
		if (this.#keys[place] === NO_KEY) this.#placed++;
		this.#keys[place] = key;
		this.#values[place] = value;
		return true;
	}

	/** Keys that have different places keep them different with more bits. */
	#resize(length: number): void {
		const [keys, values] = [this.#keys, this.#values];
		this.#keys = Array.from({ length }, () => NO_KEY);
		this.#values = Array.from({ length }, () => undefined);
		for (const [at, key] of keys.entries()) {
			if (key === NO_KEY) continue;
			this.#keys[key & (length - 1)] = key;
			this.#values[key & (length - 1)] = values[at];
		}
	}

	#takeOther(key: Key): Value | undefined {
		const cell = this.#others.get(key);
		if (cell === undefined) return undefined;
		this.#others.delete(key);
		const { value } = cell;
		cell.value = undefined;
		return value;
	}
}

function byNumber(one: string | number, other: string | number): number {
	if (typeof one === 'number' && typeof other === 'number') return one - other;
	return Number(typeof one === 'string') - Number(typeof other === 'string');
}
