/*
 * Completion of arguments: categories, ids, tags and modes in the
 * URIs, and the values that the author of a prompt suggests.
 */
import { OrchestraError } from '../errors.ts';
import type { FragmentStore } from './files/fragment-store.ts';
import { COMPLETION_LIMIT } from './files/library-limits.ts';
import { matchModes } from './match/match-request.ts';
import type { LibraryPrompt } from './prompt-file.ts';
import { CATEGORY_MATCH_TEMPLATE, FRAGMENT_TEMPLATE, MATCH_TEMPLATE } from './registry.ts';

/** The prompt or resource template whose argument is completed. */
export type CompletionReference =
	| { type: 'ref/prompt'; name: string }
	| { type: 'ref/resource'; uri: string };

/** The argument to complete, and the text typed so far. */
export interface CompletionArgument {
	name: string;
	value: string;
}

/** Suggested values for an argument. */
export interface Completion {
	/** The values, at most 100, best first. */
	values: string[];
	total: number;
	hasMore: boolean;
}

/** @param chosen values of the other arguments, by name */
export function completeUri(
	fragments: FragmentStore,
	uri: string,
	argument: CompletionArgument,
	chosen: Readonly<Record<string, string>> = {},
): Completion {
	if (![FRAGMENT_TEMPLATE, MATCH_TEMPLATE, CATEGORY_MATCH_TEMPLATE].includes(uri)) {
		throw new OrchestraError('bad_input', `Resource template not found: ${uri}`, {
			hint: `There are ${FRAGMENT_TEMPLATE}, ${MATCH_TEMPLATE} and ${CATEGORY_MATCH_TEMPLATE}.`,
		});
	}
	switch (argument.name) {
		case 'category':
			return select([...fragments.categories().keys()], argument.value);
		case 'id':
			return select(idsOf(fragments, chosen['category']), argument.value);
		case 'mode':
			return select([...matchModes], argument.value);
		case 'categories':
			return selectLast([...fragments.categories().keys()], argument.value);
		case 'tags':
			return selectLast([...new Set(fragments.list().flatMap(({ tags }) => tags))].sort(), argument.value);
		default:
			return select([], '');
	}
}

export function completePrompt(prompt: LibraryPrompt, argument: CompletionArgument): Completion {
	const declared = prompt.arguments.find(({ name }) => name === argument.name);
	return select(declared?.values ?? [], argument.value);
}

function idsOf(fragments: FragmentStore, category: string | undefined): string[] {
	const inside = fragments
		.list()
		.filter((fragment) => category === undefined || fragment.category === category);
	return [...new Set(inside.map(({ name, category: own }) => name.slice(own.length + 1)))].sort();
}

/** The candidates that begin with the value, then those that hold it. */
function select(candidates: readonly string[], value: string): Completion {
	const wanted = value.toLowerCase();
	const holding = candidates.filter((candidate) => candidate.toLowerCase().includes(wanted));
	const beginning = holding.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
	const values = [...new Set([...beginning, ...holding])];
	return {
		values: values.slice(0, COMPLETION_LIMIT),
		total: values.length,
		hasMore: values.length > COMPLETION_LIMIT,
	};
}

/** The same as `select`, for the last entry of a list with commas. */
function selectLast(candidates: readonly string[], value: string): Completion {
	const at = value.lastIndexOf(',') + 1;
	const before = value.slice(0, at);
	const found = select(candidates, value.slice(at).trimStart());
	return { ...found, values: found.values.map((candidate) => before + candidate) };
}
