/*
 * Merge the sections of several files key by key, by the rules of their table.
 *
 * Of two files the first one wins, but rules and lists of both count, and the stricter pin.
 */
import type { JsonDocument } from './jsonc.ts';
import { mergeKeys } from './key.ts';
import { type FileSections, noSections, sections as table } from './sections/sections.ts';
import { yieldingTo } from './trust/untrusted-sections.ts';

/** A file that was read. */
export interface ConfigFile {
	readonly file: string;
	readonly document: JsonDocument;
	/** The part that counts. */
	readonly sections: FileSections;
	/** False for a project file that the user does not trust. */
	readonly isTrusted: boolean;
}

/** The files in the order in which they count: untrusted ones are last, and weaken nothing of the others. */
export function inEffect(files: readonly ConfigFile[]): readonly ConfigFile[] {
	const trusted = files.filter(({ isTrusted }) => isTrusted);
	const before = mergeSections(trusted);
	const others = files
		.filter(({ isTrusted }) => !isTrusted)
		.map((each) => ({ ...each, sections: yieldingTo(before, each.sections) }));
	return [...trusted, ...others];
}

/** Merge files, the strongest first. */
export function mergeSections(files: readonly ConfigFile[]): FileSections {
	return files.reduce((before, { sections }) => mergeKeys(table, before, sections), noSections);
}
