/*
 * Similarities by a model of the user's choice, as a signal from 0 to 1.
 *
 * Models differ in what similarity two unrelated texts have, so a similarity counts from
 * the mean of the collection on, as a part of the highest. And a model may be a wrong one:
 * similarities that have nothing in common with those of our own vectors are noise, and
 * count for nothing.
 */

/** Correlation with our own similarities from which on a model counts in full. */
const FULL_CORRELATION = 0.3;
/** Chance alone reaches this, and in a small collection so many standard deviations of a correlation. */
const LEAST_CORRELATION = 0.1;
const DEVIATIONS = 3;

/**
 * @param own our similarities by slot; without them there is nothing to judge the model by
 * @returns a number for each slot
 */
export function nearnessOf(
	near: ReadonlyMap<string, number>,
	own: Float64Array,
	slotOf: (id: string) => number | undefined,
): Float64Array {
	const found = new Float64Array(own.length);
	const pairs = [...near].flatMap(([id, value]): [number, number][] => {
		const slot = slotOf(id);
		return slot === undefined || slot >= own.length || !Number.isFinite(value) ? [] : [[slot, value]];
	});
	const trust = trustIn(pairs.map(([slot, value]): [number, number] => [own[slot] ?? 0, value]));
	const mean = meanOf(pairs, ([, value]) => value);
	const most = pairs.reduce((highest, [, value]) => Math.max(highest, value), -1);
	if (trust === 0 || most <= mean) return found;
	for (const [slot, value] of pairs) found[slot] = (trust * Math.max(0, value - mean)) / (most - mean);
	return found;
}

/** How much the pairs agree: from 0 for unrelated values to 1. */
function trustIn(pairs: readonly (readonly [number, number])[]): number {
	const [meanOwn, meanNear] = [meanOf(pairs, ([own]) => own), meanOf(pairs, ([, near]) => near)];
	let [both, own, near] = [0, 0, 0];
	for (const [a, b] of pairs) {
		both += (a - meanOwn) * (b - meanNear);
		own += (a - meanOwn) ** 2;
		near += (b - meanNear) ** 2;
	}
	const correlation = own === 0 || near === 0 ? 0 : both / Math.sqrt(own * near);
	const least = Math.max(LEAST_CORRELATION, DEVIATIONS / Math.sqrt(pairs.length));
	return Math.max(0, Math.min(1, (correlation - least) / (FULL_CORRELATION - LEAST_CORRELATION)));
}

function meanOf<T>(list: readonly T[], valueOf: (each: T) => number): number {
	return list.reduce((sum, each) => sum + valueOf(each), 0) / Math.max(1, list.length);
}
