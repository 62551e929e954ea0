/* A unified diff of two strings, by lines. */
import { type DiffStep, diffHunks, sequenceDiff } from '../../sequence-diff.ts';

const CONTEXT_LINES = 3;

/** The lines of the diff, without the two headings; none when the strings are equal. */
export function unifiedDiff(before: string, after: string): string[] {
	const steps = sequenceDiff(linesOf(before), linesOf(after));
	const lines: string[] = [];
	for (const [start, end] of diffHunks(steps, CONTEXT_LINES)) {
		const hunk = steps.slice(start, end);
		const from = rangeOf(steps, start, hunk, '-');
		const to = rangeOf(steps, start, hunk, '+');
		lines.push(`@@ -${from} +${to} @@`, ...hunk.map(([sign, line]) => sign + line));
	}
	return lines;
}

/** A text that ends without a newline has a mark at its end. */
function linesOf(text: string): string[] {
	if (text === '') return [];
	const lines = text.split('\n');
	const last = lines.pop() ?? '';
	return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function rangeOf(
	steps: readonly DiffStep[],
	start: number,
	hunk: readonly DiffStep[],
	sign: '-' | '+',
): string {
	const counts = (step: DiffStep): boolean => step[0] === ' ' || step[0] === sign;
	const length = hunk.filter(counts).length;
	const first = steps.slice(0, start).filter(counts).length + (length === 0 ? 0 : 1);
	return length === 1 ? String(first) : `${first},${length}`;
}
