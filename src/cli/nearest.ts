/* Guess what a mistyped word was meant to be. */

/** The candidates closest to `word`, best first; none that differs by more than a third of its letters. */
export function nearest(word: string, candidates: readonly string[], most = 3): string[] {
	return candidates
		.map((candidate) => ({ candidate, distance: distance(word, candidate) }))
		.filter(({ candidate, distance }) => distance <= Math.max(1, Math.ceil(candidate.length / 3)))
		.sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
		.slice(0, most)
		.map(({ candidate }) => candidate);
}

/** Levenshtein distance, one row at a time. */
function distance(from: string, to: string): number {
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 1; i <= from.length; i++) {
		const next = [i];
		for (let j = 1; j <= to.length; j++) {
			const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
			next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
		}
		row = next;
	}
	return row[to.length] ?? 0;
}
