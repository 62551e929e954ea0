/*
 * The shortest way from one sequence to another (Myers' greedy algorithm).
 *
 * Time and memory grow with the number of changes, not with the length of the sequences.
 * Above a limit the part between the first and the last change counts as replaced.
 */
import { DIFF_CHANGES_LIMIT } from './core-limits.ts';

/** An item that both have (` `), only the old one (`-`) or only the new one (`+`). */
export type DiffStep = readonly [sign: ' ' | '-' | '+', item: string];

/** The steps from `before` to `after`. */
export function sequenceDiff(before: readonly string[], after: readonly string[]): DiffStep[] {
	let head = 0;
	while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++;
	let tail = 0;
	while (
		tail < Math.min(before.length, after.length) - head &&
		before[before.length - 1 - tail] === after[after.length - 1 - tail]
	) {
		tail++;
	}
	const same = (item: string): DiffStep => [' ', item];
	const old = before.slice(head, before.length - tail);
	const fresh = after.slice(head, after.length - tail);
	return [
		...before.slice(0, head).map(same),
		...(shortestSteps(old, fresh) ?? replacing(old, fresh)),
		...before.slice(before.length - tail).map(same),
	];
}

/** The ranges of steps with changes and `context` unchanged steps around them; those that touch are one. */
export function diffHunks(steps: readonly DiffStep[], context: number): [start: number, end: number][] {
	const hunks: [number, number][] = [];
	for (const [index, [sign]] of steps.entries()) {
		if (sign === ' ') continue;
		const last = hunks.at(-1);
		const end = Math.min(steps.length, index + 1 + context);
		if (last && index - context <= last[1]) last[1] = end;
		else hunks.push([Math.max(0, index - context), end]);
	}
	return hunks;
}

function replacing(old: readonly string[], fresh: readonly string[]): DiffStep[] {
	return [...old.map((item): DiffStep => ['-', item]), ...fresh.map((item): DiffStep => ['+', item])];
}

/** Undefined when there are too many changes. */
function shortestSteps(old: readonly string[], fresh: readonly string[]): DiffStep[] | undefined {
	const trace: Map<number, number>[] = [];
	let reached = new Map<number, number>([[1, 0]]);
	for (let changes = 0; changes <= Math.min(old.length + fresh.length, DIFF_CHANGES_LIMIT); changes++) {
		trace.push(reached);
		const next = new Map<number, number>();
		for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
			let x = startOf(reached, diagonal, changes);
			while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
			next.set(diagonal, x);
			if (x >= old.length && x - diagonal >= fresh.length) return walkBack(trace, old, fresh);
		}
		reached = next;
	}
	return undefined;
}

function startOf(reached: ReadonlyMap<number, number>, diagonal: number, changes: number): number {
	const left = reached.get(diagonal - 1) ?? -1;
	const right = reached.get(diagonal + 1) ?? -1;
	return diagonal === -changes || (diagonal !== changes && left < right) ? right : left + 1;
}

function walkBack(
	trace: readonly Map<number, number>[],
	old: readonly string[],
	fresh: readonly string[],
): DiffStep[] {
	const steps: DiffStep[] = [];
	let x = old.length;
	let y = fresh.length;
	for (let changes = trace.length - 1; changes >= 0; changes--) {
		const reached = trace[changes] ?? new Map<number, number>();
		const diagonal = x - y;
		const left = reached.get(diagonal - 1) ?? -1;
		const right = reached.get(diagonal + 1) ?? -1;
		const isDown = diagonal === -changes || (diagonal !== changes && left < right);
		const previous = diagonal + (isDown ? 1 : -1);
		const fromX = reached.get(previous) ?? 0;
		const fromY = fromX - previous;
		while (x > fromX && y > fromY && x > 0 && y > 0) {
			steps.push([' ', old[--x] ?? '']);
			y--;
		}
		if (changes === 0) break;
		if (isDown) steps.push(['+', fresh[--y] ?? '']);
		else steps.push(['-', old[--x] ?? '']);
	}
	return steps.reverse();
}

/** A run of words that stayed (` `), was removed (`-`) or was added (`+`). */
export interface WordRun {
	readonly sign: ' ' | '-' | '+';
	readonly text: string;
}

/** The words of both strings, in runs. */
export function wordDiff(before: string, after: string): WordRun[] {
	const runs: { sign: WordRun['sign']; text: string }[] = [];
	for (const [sign, text] of sequenceDiff(tokensOf(before), tokensOf(after))) {
		const last = runs.at(-1);
		if (last?.sign === sign) last.text += text;
		else runs.push({ sign, text });
	}
	return runs;
}

/** Words, runs of blanks, and single other characters. */
function tokensOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
