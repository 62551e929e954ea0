/*
 * Calls in flight by their keys: entries come and go with every call.
 *
 * Keys are mostly numbers that count up, or their texts, so an entry is at the place of the last
 * bits of its key, without a cell or a hash. A key whose place is taken is in a `Map`.
 * When a `Map` replaces its table, V8 keeps the values in the old table and links it to the new
 * one. Once such a table is in the old generation, it keeps every later table and all calls in
 * them from the cheap garbage collections, which then take several times as long. So a value
 * there is in a cell, which is emptied on removal.
 */
import { CALL_TABLE_LAST_CHARACTERS, CALL_TABLE_PLACES_LIMIT } from '../rpc-limits.ts';

interface Cell<Value> {
	value: Value | undefined;
	readonly arrival: number;
}

const FIRST_PLACES = 8;
const NO_KEY = -1;

export class CallTable<Key extends string | number, Value extends object> {
	/** The key at each place; `NO_KEY` for none. */
	#keys: (Key | typeof NO_KEY)[] = [];
	#values: (Value | undefined)[] = [];
	/** When each text arrived, for their order. */
	#arrivals: number[] = [];
	#lastArrival = 0;
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
		else if (!this.#isPlaced(key, value)) this.#others.set(key, { value, arrival: ++this.#lastArrival });
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

	/** Visits all entries in any order, faster than a loop over them. Entries may be removed meanwhile. */
	forEach(visit: (value: Value, key: Key) => void): void {
		for (let place = 0, left = this.#placed; place < this.#keys.length && left > 0; place++) {
			const value = this.#values[place];
			if (value === undefined) continue;
			left--;
			visit(value, this.#keys[place] as Key); // there is a key where there is a value
		}
		this.#others.forEach(({ value }, key) => {
			if (value !== undefined) visit(value, key);
		});
	}

	/** Numbers in rising order, then texts in the order of their arrival. Entries may be removed meanwhile. */
	*entries(): Generator<[Key, Value], undefined> {
		const found: Arrival<Key>[] = [];
		for (const [place, key] of this.#keys.entries())
			if (key !== NO_KEY) found.push({ key, arrival: this.#arrivals[place] ?? 0 });
		for (const [key, { arrival }] of this.#others) found.push({ key, arrival });
		for (const { key } of found.sort(inOrder)) {
			const value = this.get(key);
			if (value !== undefined) yield [key, value];
		}
	}

	*values(): Generator<Value, undefined> {
		for (const [, value] of this.entries()) yield value;
	}

	/** Where a key is; `NO_KEY` when it has no place. */
	#placeOf(key: Key): number {
		if (this.#placed === 0 || key === NO_KEY) return NO_KEY;
		const place = bitsOf(key) & (this.#keys.length - 1);
		return this.#keys[place] === key ? place : NO_KEY;
	}

	/** Put a value at the place of its key, if it has one that is free. */
	#isPlaced(key: Key, value: Value): boolean {
		if (typeof key === 'number' && key >>> 0 !== key) return false;
		if (this.#keys.length === 0) this.#resize(FIRST_PLACES);
		const bits = bitsOf(key);
		let place = bits & (this.#keys.length - 1);
		while (this.#keys[place] !== NO_KEY && this.#keys[place] !== key) {
			// A few long calls are no reason to grow.
			if (this.#placed < this.#keys.length / 2 || this.#keys.length >= CALL_TABLE_PLACES_LIMIT) return false;
			this.#resize(this.#keys.length * 2);
			place = bits & (this.#keys.length - 1);
		}
		if (this.#keys[place] === NO_KEY) {
			this.#placed++;
			this.#arrivals[place] = ++this.#lastArrival;
		}
		this.#keys[place] = key;
		this.#values[place] = value;
		return true;
	}

	/** Keys that have different places keep them different with more bits. */
	#resize(length: number): void {
		const [keys, values, arrivals] = [this.#keys, this.#values, this.#arrivals];
		this.#keys = Array.from({ length }, () => NO_KEY);
		this.#values = Array.from({ length }, () => undefined);
		this.#arrivals = Array.from({ length }, () => 0);
		for (const [at, key] of keys.entries()) {
			if (key === NO_KEY) continue;
			const place = bitsOf(key) & (length - 1);
			this.#keys[place] = key;
			this.#values[place] = values[at];
			this.#arrivals[place] = arrivals[at] ?? 0;
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

interface Arrival<Key> {
	readonly key: Key;
	readonly arrival: number;
}

function inOrder(one: Arrival<string | number>, other: Arrival<string | number>): number {
	if (typeof one.key === 'number' && typeof other.key === 'number') return one.key - other.key;
	const byKind = Number(typeof one.key === 'string') - Number(typeof other.key === 'string');
	return byKind === 0 ? one.arrival - other.arrival : byKind;
}

/** Different for numbers that follow each other, also as texts, with quotes around them or not. */
function bitsOf(key: string | number): number {
	if (typeof key === 'number') return key;
	const { length } = key;
	let bits = 0;
	for (
		let at = length > CALL_TABLE_LAST_CHARACTERS ? length - CALL_TABLE_LAST_CHARACTERS : 0;
		at < length;
		at++
	)
		bits = bits * 10 + key.charCodeAt(at);
	return bits;
}
