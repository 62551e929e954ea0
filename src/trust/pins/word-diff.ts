/* The difference between two versions of a tool, word by word. */
import { sequenceDiff } from '../../sequence-diff.ts';
import { canonicalJson } from '../canonical-json.ts';
import { type PinnedTool, pinnedParts } from './pinned-tool.ts';

/** Longest text of a part that is compared, in characters; the rest is left out. */
const COMPARED_CHARACTERS = 20_000;

/** A run of words that stayed (` `), was removed (`-`) or was added (`+`). */
export interface WordRun {
	readonly sign: ' ' | '-' | '+';
	readonly text: string;
}

/** One part of a tool that differs, such as its description. */
export interface PartDiff {
	readonly part: (typeof pinnedParts)[number];
	/** Undefined when the tool had no such part, or it is not known. */
	readonly before: string | undefined;
	readonly after: string | undefined;
	readonly words: readonly WordRun[];
}

/** The parts that differ. */
export function partDiffs(before: PinnedTool | undefined, after: PinnedTool | undefined): PartDiff[] {
	return pinnedParts.flatMap((part): PartDiff[] => {
		if (part === 'name' && (before === undefined || after === undefined)) return [];
		if (canonicalJson(before?.[part]) === canonicalJson(after?.[part])) return [];
		const texts = { before: textOf(before?.[part]), after: textOf(after?.[part]) };
		return [{ part, ...texts, words: wordDiff(texts.before ?? '', texts.after ?? '') }];
	});
}

/** The words of both texts, in runs. */
export function wordDiff(before: string, after: string): WordRun[] {
	const runs: { sign: WordRun['sign']; text: string }[] = [];
	for (const [sign, text] of sequenceDiff(wordsOf(before), wordsOf(after))) {
		const last = runs.at(-1);
		if (last?.sign === sign) last.text += text;
		else runs.push({ sign, text });
	}
	return runs;
}

/** A schema with indents and sorted keys: only what differs shows. */
function textOf(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	const text = typeof value === 'string' ? value : JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
	if (text.length <= COMPARED_CHARACTERS) return text;
	return `${text.slice(0, COMPARED_CHARACTERS)}… (${text.length - COMPARED_CHARACTERS} more characters)`;
}

/** Words, runs of blanks, and single other characters. */
function wordsOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
