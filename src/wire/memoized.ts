/* Values that are computed once for an object, and cached as long as the object lives. */

/** `make`, called once for each object: the same object stays the same result. */
export function memoized<K extends object, V>(make: (key: K) => V): (key: K) => V {
	const known = new WeakMap<K, V>();
	return (key) => {
		const found = known.get(key);
		if (found !== undefined) return found;
		const made = make(key);
		known.set(key, made);
		return made;
	};
}
