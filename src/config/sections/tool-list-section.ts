/* The sections about which tools an agent sees: `toolList`, `views` and `clients`. */
import { EXPOSE_ABOVE } from '../defaults.ts';
import { bothLists, countOrZero, key, object, strings, text, word } from '../key.ts';
import { clientResultKeys } from './results-section.ts';

/** The content of `tools/list`: every tool, or the tools that search and call the others. */
export const exposeModes = ['search', 'all'] as const;

const expose = word(exposeModes);

export const toolListKeys = {
	expose: key(
		expose,
		'`"search"` lists [search tools](tool-search.md), `"all"` every tool; default: `"search"` above `exposeAbove` tools',
	),
	exposeAbove: key(countOrZero, 'number of tools above which agents search', { byDefault: EXPOSE_ABOVE }),
	always: key(strings, 'patterns of tools that are always listed', { empty: [], merge: bothLists }),
};

/** One entry of `views`. */
export const viewKeys = {
	allow: key(strings, 'patterns of the tools in it, `*` stands for any characters; default: all'),
	deny: key(strings, 'patterns of the tools that are not in it', { empty: [] }),
};

/** One entry of `clients`. */
export const clientKeys = {
	view: key(text, 'the name of a view'),
	expose: key(expose, 'as in `toolList`, for this client'),
	results: key(object(clientResultKeys), 'as in `results`, for this client'),
};
