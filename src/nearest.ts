/* Suggestions for a mistyped word, by edit distance. */
import { EDITS_LIMIT } from './core-limits.ts';
import { editDistance } from './edit-distance.ts';

/** The candidates closest to `word`, best first; none that differs by more than three edits or a third of its letters. */
export function nearest(word: string, candidates: readonly string[], most = 3): string[] {
	return candidates
		.map((candidate) => {
			const bound = Math.min(EDITS_LIMIT, Math.max(1, Math.ceil(candidate.length / 3)));
			return { candidate, bound, distance: editDistance(word, candidate, bound) };
		})
		.filter(({ bound, distance }) => distance <= bound)
		.sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
		.slice(0, most)
		.map(({ candidate }) => candidate);
}

/** A hint with the candidates of `nearest`, or another one when there are none. */
export function didYouMean(guesses: readonly string[], otherwise: string): string {
	return guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : otherwise;
}
