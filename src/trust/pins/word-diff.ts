/* The difference between two versions of a tool, word by word. */
import { type WordRun, wordDiff } from '../../sequence-diff.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { DIFF_COMPARED_CHARACTERS } from '../trust-limits.ts';
import { type PinnedTool, pinnedFields } from './pinned-tool.ts';

/** One part of a tool that differs, such as its description. */
export interface PartDiff {
	readonly part: (typeof pinnedFields)[number];
	/** Undefined when the tool had no such part, or it is not known. */
	readonly before: string | undefined;
	readonly after: string | undefined;
	readonly runs: readonly WordRun[];
}

/** The parts that differ. */
export function partDiffs(before: PinnedTool | undefined, after: PinnedTool | undefined): PartDiff[] {
	return pinnedFields.flatMap((part): PartDiff[] => {
		if (part === 'name' && (before === undefined || after === undefined)) return [];
		if (canonicalJson(before?.[part]) === canonicalJson(after?.[part])) return [];
		const sides = { before: textOf(before?.[part]), after: textOf(after?.[part]) };
		return [{ part, ...sides, runs: wordDiff(sides.before ?? '', sides.after ?? '') }];
	});
}

/** A schema with indents and sorted keys: only what differs shows. */
function textOf(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	const text = typeof value === 'string' ? value : JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
	if (text.length <= DIFF_COMPARED_CHARACTERS) return text;
	return `${text.slice(0, DIFF_COMPARED_CHARACTERS)}… (${text.length - DIFF_COMPARED_CHARACTERS} more characters)`;
}
