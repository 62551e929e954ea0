/*
 * Take back an edit of a file that somebody else changed in the meantime: Claude Code
 * writes its whole `.claude.json` at every start, and a restored backup would lose what
 * it wrote. So the changed lines are looked up in the present text, each with a line
 * around it where it can, and replaced by the old ones. Nothing is guessed: a place that
 * is not there exactly once is no place.
 */
import { type DiffStep, diffHunks, sequenceDiff } from '../../sequence-diff.ts';

/** Lines around a change that must be there too, in the order they are tried. */
const CONTEXTS = [1, 0];

export interface EditedText {
	readonly before: string;
	readonly after: string;
	/** The text with the edit and with changes of others. */
	readonly now: string;
}

/** `now` without the edit from `before` to `after`; undefined when the edit is not found in it. */
export function revertEdit({ before, after, now }: EditedText): string | undefined {
	const steps = sequenceDiff(after.split('\n'), before.split('\n'));
	for (const context of CONTEXTS) {
		const reverted = revertHunks(steps, now.split('\n'), context);
		if (reverted !== undefined) return reverted.join('\n');
	}
	return undefined;
}

function revertHunks(
	steps: readonly DiffStep[],
	now: readonly string[],
	context: number,
): string[] | undefined {
	const lines: string[] = [];
	let from = 0;
	for (const [start, end] of diffHunks(steps, context)) {
		const hunk = steps.slice(start, end);
		const present = hunk.filter(([sign]) => sign !== '+').map(([, line]) => line);
		const at = placeOf(present, now);
		if (at === undefined || at < from) return undefined;
		const restored = hunk.filter(([sign]) => sign !== '-').map(([, line]) => line);
		lines.push(...now.slice(from, at), ...restored);
		from = at + present.length;
	}
	return [...lines, ...now.slice(from)];
}

/** Where these lines are in a text, when they are there exactly once. */
function placeOf(lines: readonly string[], text: readonly string[]): number | undefined {
	if (lines.length === 0) return undefined;
	const isAt = (at: number): boolean => lines.every((line, offset) => text[at + offset] === line);
	const places = [...text.keys()].filter((at) => text[at] === lines[0] && isAt(at));
	return places.length === 1 ? places[0] : undefined;
}
