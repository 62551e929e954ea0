/*
 * Fill a budget greedily, best item first. An item that does not fit is skipped, and a
 * smaller one after it may still fit, so that one long document does not waste the rest.
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
