/* The words that differ between two texts, in runs. */
import { sequenceDiff } from '../../../sequence-diff.ts';

export interface DiffRun {
	readonly kind: 'same' | 'removed' | 'added';
	readonly text: string;
}

const KINDS = { ' ': 'same', '-': 'removed', '+': 'added' } as const;

export function diffWords(before: string, after: string): DiffRun[] {
	const runs: { kind: DiffRun['kind']; text: string }[] = [];
	for (const [sign, text] of sequenceDiff(wordsOf(before), wordsOf(after))) {
		const last = runs.at(-1);
		if (last?.kind === KINDS[sign]) last.text += text;
		else runs.push({ kind: KINDS[sign], text });
	}
	return runs;
}

/** Words, runs of blanks, and single other characters. */
function wordsOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
