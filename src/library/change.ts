/* A change of a library, for its listeners. */
import { parseUri, REGISTRY_URI } from './uri.ts';

/** Names that were added, changed and removed. */
export interface ListChange {
	added: string[];
	changed: string[];
	removed: string[];
}

/** The prompts and resources that a reload added, changed and removed. */
export interface LibraryChange {
	/** The changed items, by URI. */
	resources: ListChange;
	/** The changed items, by name. */
	prompts: ListChange;
}

export function isEmptyChange({ added, changed, removed }: ListChange): boolean {
	return added.length + changed.length + removed.length === 0;
}

/** True when what is read at `uri` may be different after `change`: for subscriptions. */
export function affects(change: LibraryChange, uri: string): boolean {
	const { added, changed, removed } = change.resources;
	const touched = [...added, ...changed, ...removed];
	if (touched.length === 0) return false;
	if (touched.includes(uri) || uri === REGISTRY_URI) return true;
	const parsed = parseUri(uri);
	if (parsed?.kind === 'match' && parsed.category === undefined) return true;
	if (parsed?.kind !== 'match' && parsed?.kind !== 'category') return false;
	return touched.some((other) =>
		other.startsWith(`orchestr8://${encodeURIComponent(parsed.category ?? '')}/`),
	);
}

/** The difference between two states: names with the stamp of their content. */
export function differenceOf(
	before: ReadonlyMap<string, string>,
	after: ReadonlyMap<string, string>,
): ListChange {
	const added = [...after.keys()].filter((name) => !before.has(name)).sort();
	const removed = [...before.keys()].filter((name) => !after.has(name)).sort();
	const changed = [...after].flatMap(([name, stamp]) =>
		before.has(name) && before.get(name) !== stamp ? [name] : [],
	);
	return { added, changed: changed.sort(), removed };
}
