/*
 * The words that differ between two texts.
 *
 * The longest common subsequence of words, found in a table. The table is bounded: when what is
 * left between the equal beginning and end is too long, it is shown as one removal and one addition.
 */

export interface DiffPart {
	readonly kind: 'same' | 'removed' | 'added';
	readonly text: string;
}

/** Most cells of the table. */
const MAX_CELLS = 4_000_000;

export function wordDiff(before: string, after: string): DiffPart[] {
	const old = wordsOf(before);
	const fresh = wordsOf(after);
	let start = 0;
	while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
	let end = 0;
	const room = Math.min(old.length, fresh.length) - start;
	while (end < room && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
	const middle = diffMiddle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
	return joined([
		{ kind: 'same', text: old.slice(0, start).join('') },
		...middle,
		{ kind: 'same', text: old.slice(old.length - end).join('') },
	]);
}

/** Words, spaces and punctuation, each as one part. */
function wordsOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffPart[] {
	const width = fresh.length + 1;
	if (old.length * fresh.length > MAX_CELLS || old.length === 0 || fresh.length === 0)
		return [
			{ kind: 'removed', text: old.join('') },
			{ kind: 'added', text: fresh.join('') },
		];
	const lengths = commonLengths(old, fresh);
	const parts: DiffPart[] = [];
	let at = 0;
	let to = 0;
	while (at < old.length || to < fresh.length) {
		const below = lengths[(at + 1) * width + to] ?? -1;
		const right = lengths[at * width + to + 1] ?? -1;
		if (at < old.length && to < fresh.length && old[at] === fresh[to]) {
			parts.push({ kind: 'same', text: old[at++] ?? '' });
			to += 1;
		} else if (to >= fresh.length || (at < old.length && below >= right)) {
			parts.push({ kind: 'removed', text: old[at++] ?? '' });
		} else parts.push({ kind: 'added', text: fresh[to++] ?? '' });
	}
	return parts;
}

/** The length of the longest common subsequence from each pair of places on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
	const width = fresh.length + 1;
	const lengths = new Uint32Array((old.length + 1) * width);
	for (let at = old.length - 1; at >= 0; at--)
		for (let to = fresh.length - 1; to >= 0; to--)
			lengths[at * width + to] =
				old[at] === fresh[to]
					? (lengths[(at + 1) * width + to + 1] ?? 0) + 1
					: Math.max(lengths[(at + 1) * width + to] ?? 0, lengths[at * width + to + 1] ?? 0);
	return lengths;
}

/** Neighbours of the same kind as one part, without empty ones. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
	const result: DiffPart[] = [];
	for (const part of parts) {
		if (part.text === '') continue;
		const last = result.at(-1);
		if (last?.kind === part.kind) result[result.length - 1] = { ...last, text: last.text + part.text };
		else result.push(part);
	}
	return result;
}
