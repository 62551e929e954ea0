/*
 * The edit distance of two words (Damerau-Levenshtein, optimal string alignment):
 * insertions, deletions, substitutions and swaps of two adjacent letters. Nearly
 * every pair is far apart, so both words are followed only as long as the bound
 * allows, which takes a few steps and no memory.
 */

/** The distance, or `bound + 1` when it is more than `bound`. The time grows as 4 to the power of `bound`: use 3 at most. */
export function editDistance(from: string, to: string, bound: number): number {
	return editsFrom({ from, to }, 0, 0, bound);
}

interface Pair {
	from: string;
	to: string;
}

function editsFrom(pair: Pair, start: number, other: number, bound: number): number {
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
	let least = editsFrom(pair, i + 1, j + 1, bound - 1);
	least = Math.min(least, editsFrom(pair, i + 1, j, bound - 1), editsFrom(pair, i, j + 1, bound - 1));
	const isSwap = from.charCodeAt(i) === to.charCodeAt(j + 1) && from.charCodeAt(i + 1) === to.charCodeAt(j);
	if (isSwap) least = Math.min(least, editsFrom(pair, i + 2, j + 2, bound - 1));
	return least + 1;
}
