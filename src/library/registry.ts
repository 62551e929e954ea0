/* The indexes of a library as JSON: all of it by category, and one category file by file. */
import type { Fragment } from './files/fragment.ts';
import type { FragmentStore } from './files/fragment-store.ts';
import { matchParameters } from './match/match-request.ts';
import { categoryUri } from './uri.ts';

/** The version of the shape below; raised when a field changes its meaning. */
const REGISTRY_VERSION = '1.0.0';

/** RFC 6570 template of a match over all categories. */
export const MATCH_TEMPLATE: string = `orchestr8://match{?${matchParameters.join(',')}}`;
/** RFC 6570 template of a match in one category. */
export const CATEGORY_MATCH_TEMPLATE: string = `orchestr8://{category}/match{?${matchParameters.join(',')}}`;
/** RFC 6570 template of one fragment. */
export const FRAGMENT_TEMPLATE = 'orchestr8://{category}/{+id}';

export function registryText(fragments: FragmentStore): string {
	const categories = [...fragments.categories()].map(([name, total]) => ({
		name,
		uri: categoryUri(name),
		total,
	}));
	return JSON.stringify(
		{ version: REGISTRY_VERSION, totalResources: fragments.size, categories, search: MATCH_TEMPLATE },
		undefined,
		2,
	);
}

/** Undefined when there is no such category. */
export function categoryText(fragments: FragmentStore, category: string): string | undefined {
	const resources = fragments.list().filter((fragment) => fragment.category === category);
	if (resources.length === 0) return undefined;
	return JSON.stringify(
		{ category, total: resources.length, resources: resources.map(entryOf) },
		undefined,
		2,
	);
}

function entryOf({ uri, id, title, description, tags, tokens, mimeType }: Fragment): Record<string, unknown> {
	return { uri, id, title, description, tags, tokens, mimeType };
}
