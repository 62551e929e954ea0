/* The sections about which tools an agent sees: `toolList`, `views` and `clients`. */
import type { ClientSettings, ExposeMode, ToolListSection, ToolView } from '../configuration.ts';
import { EXPOSE_ABOVE } from '../defaults.ts';
import { bothLists, countOrZero, type Keys, key, strings, text, word } from '../key.ts';
import { clientResults } from './results-section.ts';

const exposeModes: readonly ExposeMode[] = ['search', 'all'];
const expose = word(exposeModes);

export const toolListKeys: Keys<ToolListSection> = {
	expose: key(expose, {
		about:
			'`"search"` lists tools that search and call the others, `"all"` lists every tool; default: `"search"` above `exposeAbove` tools ([tool search](tool-search.md))',
	}),
	exposeAbove: key(countOrZero, {
		about: 'number of tools above which agents search',
		byDefault: EXPOSE_ABOVE,
	}),
	always: key(strings, { about: 'patterns of tools that are always listed', empty: [], merge: bothLists }),
};

/** One entry of `views`. */
export const viewKeys: Keys<ToolView> = {
	allow: key(strings, { about: 'patterns of the tools in it, `*` stands for any characters; default: all' }),
	deny: key(strings, { about: 'patterns of the tools that are not in it', empty: [] }),
};

/** One entry of `clients`. */
export const clientKeys: Keys<ClientSettings> = {
	view: key(text, { about: 'the name of a view' }),
	expose: key(expose, { about: 'as in `toolList`, for this client' }),
	results: key(clientResults, { about: 'as in `results`, for this client' }),
};
