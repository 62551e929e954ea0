/*
 * How many slips of the finger lie between two words: a letter too many, too
 * few, another one, or two swapped. Nearly every pair that is asked about is far
 * apart, so it follows the two words only as long as the bound allows, which
 * takes a few steps and no memory.
 */

/** The distance, or `bound + 1` when it is more than `bound`. Made for bounds of 1 and 2. */
export function editDistance(from: string, to: string, bound: number): number {
	return slips({ from, to }, 0, 0, bound);
}

interface Pair {
	from: string;
	to: string;
}

function slips(pair: Pair, start: number, other: number, bound: number): number {
	const { from, to } = pair;
	let i = start;
	let j = other;
	while (i < from.length && j < to.length && from.charCodeAt(i) === to.charCodeAt(j)) {
		i++;
		j++;
	}
	const left = from.length - i;
	const right = to.length - j;
	if (left === 0 || right === 0) return Math.min(left + right, bound + 1);
	if (bound === 0 || Math.abs(left - right) > bound) return bound + 1;
	let least = slips(pair, i + 1, j + 1, bound - 1);
	least = Math.min(least, slips(pair, i + 1, j, bound - 1), slips(pair, i, j + 1, bound - 1));
	const isSwap = from.charCodeAt(i) === to.charCodeAt(j + 1) && from.charCodeAt(i + 1) === to.charCodeAt(j);
	if (isSwap) least = Math.min(least, slips(pair, i + 2, j + 2, bound - 1));
	return least + 1;
}
