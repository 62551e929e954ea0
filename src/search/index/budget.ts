/*
 * Fill a budget with the best first. A thing that does not fit is left out and
 * a smaller one behind it may still fit, so that a single long document does
 * not waste what is left.
 */

/** The items that fit, in their order; never more than `budget` in all. */
export function pickWithin<T>(
	items: readonly T[],
	budget: number,
	costOf: (item: T) => number,
): { picked: T[]; cost: number } {
	const picked: T[] = [];
	let cost = 0;
	for (const item of items) {
		const own = costOf(item);
		if (cost + own > budget) continue;
		picked.push(item);
		cost += own;
	}
	return { picked, cost };
}
