/*
 * A unified diff of two texts, by lines (Myers' greedy algorithm).
 *
 * Time and memory grow with the number of changed lines, not with the size of the file.
 * Above a limit the middle of the file is shown as replaced.
 */

const CONTEXT_LINES = 3;
/** Most changed lines that are compared one by one. */
const CHANGES_LIMIT = 500;

type Step = readonly [sign: ' ' | '-' | '+', line: string];

/** The lines of the diff, without the two headings; none when the texts are equal. */
export function unifiedDiff(before: string, after: string): string[] {
	const steps = stepsOf(linesOf(before), linesOf(after));
	const lines: string[] = [];
	for (const [start, end] of hunksOf(steps)) {
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

function rangeOf(steps: readonly Step[], start: number, hunk: readonly Step[], sign: '-' | '+'): string {
	const counts = (step: Step): boolean => step[0] === ' ' || step[0] === sign;
	const length = hunk.filter(counts).length;
	const first = steps.slice(0, start).filter(counts).length + (length === 0 ? 0 : 1);
	return length === 1 ? String(first) : `${first},${length}`;
}

/** The changes with the lines around them; those that meet are one. */
function hunksOf(steps: readonly Step[]): [start: number, end: number][] {
	const hunks: [number, number][] = [];
	for (const [index, [sign]] of steps.entries()) {
		if (sign === ' ') continue;
		const last = hunks.at(-1);
		const end = Math.min(steps.length, index + 1 + CONTEXT_LINES);
		if (last && index - CONTEXT_LINES <= last[1]) last[1] = end;
		else hunks.push([Math.max(0, index - CONTEXT_LINES), end]);
	}
	return hunks;
}

function stepsOf(before: readonly string[], after: readonly string[]): Step[] {
	let head = 0;
	while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++;
	let tail = 0;
	while (
		tail < Math.min(before.length, after.length) - head &&
		before[before.length - 1 - tail] === after[after.length - 1 - tail]
	) {
		tail++;
	}
	const same = (line: string): Step => [' ', line];
	const old = before.slice(head, before.length - tail);
	const fresh = after.slice(head, after.length - tail);
	return [
		...before.slice(0, head).map(same),
		...(shortestSteps(old, fresh) ?? replacing(old, fresh)),
		...before.slice(before.length - tail).map(same),
	];
}

function replacing(old: readonly string[], fresh: readonly string[]): Step[] {
	return [...old.map((line): Step => ['-', line]), ...fresh.map((line): Step => ['+', line])];
}

/** Undefined when there are too many changes. */
function shortestSteps(old: readonly string[], fresh: readonly string[]): Step[] | undefined {
	const trace: Map<number, number>[] = [];
	let reached = new Map<number, number>([[1, 0]]);
	for (let changes = 0; changes <= Math.min(old.length + fresh.length, CHANGES_LIMIT); changes++) {
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
): Step[] {
	const steps: Step[] = [];
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
