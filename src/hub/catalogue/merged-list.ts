/*
 * Merges the lists of all sources, and maps each name back to its source and the
 * source's own name.
 *
 * On a collision the first source in configuration order keeps the name, the other
 * item is qualified, and a warning names both. A name that reads like one of another
 * server is changed, whatever the order: what begins with `files__` is a tool of `files`.
 * The list is sorted by name.
 */
import type { NamedTool } from '../../trust/tool-name.ts';
import type { Source } from '../source.ts';
import { qualifiedUri } from './names.ts';
import { PublishedNames } from './published-names.ts';

/** Where a call of a name goes. */
export interface Route<T> {
	readonly source: Source;
	/** The source's own name or URI. */
	readonly name: string;
	/** The item as the source listed it. */
	readonly item: T;
	/** The name of the item as a tool, when it has one. */
	readonly toolName?: NamedTool;
}

export interface MergedList<T> {
	readonly items: readonly T[];
	readonly routes: ReadonlyMap<string, Route<T>>;
}

/** The items that one source lists. */
export interface SourceItems<T> {
	readonly source: Source;
	readonly items: readonly T[];
}

/** Merge lists by `name`. A changed name stays in full in `_meta` and `title`. */
export function mergeByName<T extends { name: string; title?: unknown; _meta?: unknown }>(
	lists: readonly SourceItems<T>[],
	warn: (text: string) => void,
): MergedList<T> {
	const routes = new Map<string, Route<T>>();
	const items: T[] = [];
	const names = new PublishedNames(
		lists.map(({ source }) => source),
		routes,
		warn,
	);
	for (const { source, items: listed } of lists) {
		const known = new Set<string>();
		for (const item of listed) {
			if (known.has(item.name)) {
				warn(`${source.id} lists "${item.name}" twice; the second is left out`);
				continue;
			}
			known.add(item.name);
			const { toolName, full } = names.take(source, item.name);
			routes.set(toolName.name, { source, name: item.name, item, toolName });
			items.push(toolName.name === item.name ? item : renamed(item, toolName.name, full));
		}
	}
	return { items: items.sort((a, b) => (a.name < b.name ? -1 : 1)), routes };
}

/**
 * Merge lists by the URI in the field `key`. On a collision the first source keeps the URI; the item of an MCP
 * server gets a qualified one, that of another source is left out.
 */
export function mergeByUri<K extends string, T extends Readonly<Record<K, string>>>(
	lists: readonly SourceItems<T>[],
	key: K,
	warn: (text: string) => void,
): MergedList<T> {
	const routes = new Map<string, Route<T>>();
	const items = new Map<string, T>();
	for (const { source, items: listed } of lists) {
		for (const item of listed) {
			const own = item[key];
			const uri = uriFor(routes, source, own, warn);
			if (uri === undefined) continue;
			routes.set(uri, { source, name: own, item });
			items.set(uri, uri === own ? item : { ...item, [key]: uri });
		}
	}
	const sorted = [...items].sort(([a], [b]) => (a < b ? -1 : 1));
	return { items: sorted.map(([, item]) => item), routes };
}

/** The URI that clients see; undefined for an item that is left out. */
function uriFor<T>(
	routes: ReadonlyMap<string, Route<T>>,
	source: Source,
	own: string,
	warn: (text: string) => void,
): string | undefined {
	const first = routes.get(own);
	if (first === undefined) return own;
	const other = qualifiedUri(source.id, own);
	if (source.kind !== 'mcp' || first.source === source || routes.has(other)) {
		warn(`${own} is listed by ${first.source.id} and by ${source.id}; the first is used`);
		return undefined;
	}
	warn(`${own} is listed by ${first.source.id} and by ${source.id}; the second is called ${other}`);
	return other;
}

function renamed<T extends { name: string; title?: unknown; _meta?: unknown }>(
	item: T,
	name: string,
	full: string,
): T {
	if (name === full) return { ...item, name };
	const meta = typeof item._meta === 'object' ? item._meta : {};
	return { ...item, name, title: item.title ?? full, _meta: { ...meta, 'orchestra/fullName': full } };
}
