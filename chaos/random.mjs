/* Random numbers that a seed repeats (mulberry32). */

/** A generator with `next()` in [0, 1), `integer(limit)` and `pick(list)`. */
export function seededRandom(seed) {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
	const integer = (limit) => Math.floor(next() * limit);
	return { next, integer, pick: (list) => list[integer(list.length)] };
}
