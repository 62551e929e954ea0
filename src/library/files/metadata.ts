/*
 * Metadata of a fragment: what the front matter says, and where it is silent,
 * what the text itself shows. Values of the wrong kind are dropped with a
 * sentence about them; a long list is cut.
 */
import { copyString } from '../../search/text/copy-string.ts';
import type { Metadata } from './front-matter.ts';
import { DERIVED_TAG_LIMIT, LIST_LIMIT, TEXT_LIMIT_CHARACTERS } from './library-limits.ts';
import type { Outline } from './markdown.ts';

export interface FragmentMetadata {
	id: string | undefined;
	title: string | undefined;
	description: string | undefined;
	tags: string[];
	capabilities: string[];
	useWhen: string[];
}

/** Words of headings that are no subject. */
const emptyHeadingWords = new Set(
	`a an and as at by for from how in into is it of on or the to with your you this that
	overview introduction summary example examples usage notes see also when use capabilities core guide more about what why`.split(
		/\s+/,
	),
);

/** Take metadata from front matter; each thing that is wrong is put into `problems`. */
export function readMetadata(data: Metadata, problems: string[]): FragmentMetadata {
	return {
		id: metadataText(data, 'id', problems),
		title: metadataText(data, 'title', problems),
		description: metadataText(data, 'description', problems),
		tags: listOf(data, 'tags', problems),
		capabilities: listOf(data, 'capabilities', problems),
		useWhen: listOf(data, 'useWhen', problems),
	};
}

/** Fill what the front matter left open from the text. */
export function deriveMetadata(given: FragmentMetadata, outline: Outline): FragmentMetadata {
	const under = (...headings: string[]) => headings.flatMap((heading) => outline.bullets.get(heading) ?? []);
	return {
		...given,
		title: given.title ?? (outline.title && copyString(outline.title.slice(0, TEXT_LIMIT_CHARACTERS))),
		description: given.description ?? (copyString(cut(outline.firstParagraph)) || undefined),
		tags: given.tags.length > 0 ? given.tags : tagsOf(outline.headings),
		capabilities: orElse(given.capabilities, under('capabilities', 'core capabilities')),
		useWhen: orElse(given.useWhen, under('when to use')),
	};
}

function orElse(given: string[], derived: string[]): string[] {
	return given.length > 0 ? given : derived.slice(0, LIST_LIMIT).map((text) => copyString(cut(text)));
}

function tagsOf(headings: readonly string[]): string[] {
	const terms = headings.flatMap(
		(heading) => heading.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}+#.-]*/gu) ?? [],
	);
	const telling = terms
		.map((term) => term.replace(/[.-]+$/, ''))
		.filter((term) => term.length > 1 && !emptyHeadingWords.has(term));
	return [...new Set(telling)].slice(0, DERIVED_TAG_LIMIT).map(copyString);
}

/** A text under `key`; numbers and dates count as text, as users write `title: 2025`. */
export function metadataText(data: Metadata, key: string, problems: string[]): string | undefined {
	const value = data[key];
	if (value === undefined || value === null || value === '') return undefined;
	if (typeof value === 'string') return cut(value);
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	problems.push(`${key} is not a string`);
	return undefined;
}

/** A list of strings under `key`; one text with commas counts as a list. */
export function listOf(data: Metadata, key: string, problems: string[]): string[] {
	const value = data[key];
	if (value === undefined || value === null) return [];
	const items: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
	if (typeof value !== 'string' && !Array.isArray(value)) problems.push(`${key} is not a list`);
	if (items.length > LIST_LIMIT)
		problems.push(`${key} has ${items.length} entries, the first ${LIST_LIMIT} are kept`);
	const strings = new Set<string>();
	for (const item of items.slice(0, LIST_LIMIT)) {
		const text = typeof item === 'string' || typeof item === 'number' ? cut(String(item).trim()) : '';
		if (text !== '') strings.add(text);
	}
	return [...strings];
}

function cut(text: string): string {
	return text.length > TEXT_LIMIT_CHARACTERS ? `${text.slice(0, TEXT_LIMIT_CHARACTERS)}…` : text;
}
