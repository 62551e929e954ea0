/*
 * Merges the lists of all backends, and maps each name back to its backend and the
 * backend's own name.
 *
 * On a collision the first backend in configuration order keeps the name, the other
 * item is qualified, and a warning names both. The list is sorted by name.
 */
import type { Backend } from './backends/backend.ts';
import { DEFAULT_PROVIDER, plainName, qualifiedName, qualifiedUri, shortened } from './names.ts';

/** Where a call of a name goes. */
export interface Route<T> {
	readonly backend: Backend;
	/** The backend's own name or URI. */
	readonly name: string;
	/** The item as the backend listed it. */
	readonly item: T;
}

export interface MergedList<T> {
	readonly items: readonly T[];
	readonly routes: ReadonlyMap<string, Route<T>>;
}

/** The items that one backend lists. */
export interface BackendItems<T> {
	readonly backend: Backend;
	readonly items: readonly T[];
}

/** Merge lists by `name`. A changed name is kept in full in `_meta` and `title`. */
export function mergeByName<T extends { name: string; title?: unknown; _meta?: unknown }>(
	offers: readonly BackendItems<T>[],
	warn: (text: string) => void,
): MergedList<T> {
	const routes = new Map<string, Route<T>>();
	const items: T[] = [];
	for (const { backend, items: offered } of offers) {
		for (const item of offered) {
			const full = fullName(routes, backend, item.name, warn);
			const name = shortened(backend.kind === 'mcp' ? plainName(full) : full);
			if (routes.has(name)) {
				warn(`${backend.id} offers "${item.name}" twice; the second is left out`);
				continue;
			}
			routes.set(name, { backend, name: item.name, item });
			items.push(name === item.name ? item : renamed(item, name, full));
		}
	}
	return { items: items.sort((a, b) => (a.name < b.name ? -1 : 1)), routes };
}

/**
 * Merge lists by the URI in the field `key`. On a collision the first backend keeps the URI; the item of an MCP
 * server gets a qualified one, that of another backend is left out.
 */
export function mergeByUri<K extends string, T extends Readonly<Record<K, string>>>(
	offers: readonly BackendItems<T>[],
	key: K,
	warn: (text: string) => void,
): MergedList<T> {
	const routes = new Map<string, Route<T>>();
	const items = new Map<string, T>();
	for (const { backend, items: offered } of offers) {
		for (const item of offered) {
			const own = item[key];
			const uri = uriFor(routes, backend, own, warn);
			if (uri === undefined) continue;
			routes.set(uri, { backend, name: own, item });
			items.set(uri, uri === own ? item : { ...item, [key]: uri });
		}
	}
	const sorted = [...items].sort(([a], [b]) => (a < b ? -1 : 1));
	return { items: sorted.map(([, item]) => item), routes };
}

/** The URI that clients see; undefined for an item that is left out. */
function uriFor<T>(
	routes: ReadonlyMap<string, Route<T>>,
	backend: Backend,
	own: string,
	warn: (text: string) => void,
): string | undefined {
	const first = routes.get(own);
	if (first === undefined) return own;
	const other = qualifiedUri(backend.id, own);
	if (backend.kind !== 'mcp' || first.backend === backend || routes.has(other)) {
		warn(`${own} is offered by ${first.backend.id} and by ${backend.id}; the first is used`);
		return undefined;
	}
	warn(`${own} is offered by ${first.backend.id} and by ${backend.id}; the second is called ${other}`);
	return other;
}

function fullName<T>(
	routes: ReadonlyMap<string, Route<T>>,
	backend: Backend,
	name: string,
	warn: (text: string) => void,
): string {
	if (backend.qualifiesNames) return qualifiedName(backend.id, name);
	const first = routes.get(shortened(name));
	if (first === undefined || first.backend === backend) return name;
	const other = qualifiedName(backend.id, name);
	const how = howToSwap(first.backend, backend);
	warn(
		`"${name}" is offered by ${first.backend.id} and by ${backend.id}; the second is called "${other}"${how}`,
	);
	return other;
}

function howToSwap(first: Backend, second: Backend): string {
	if (first.kind !== 'plugin' || second.kind !== 'plugin') return '';
	const isDefault = first.providesAi?.includes(DEFAULT_PROVIDER) && (second.providesAi?.length ?? 0) > 0;
	if (isDefault)
		return `. Of AI plugins the one of the default provider, ${DEFAULT_PROVIDER}, keeps the name`;
	return `. To swap them, write ${second.id} before ${first.id} in the configuration`;
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
