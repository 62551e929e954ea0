/*
 * One merged list of all backends: what clients see, and the way back from each
 * name to the backend and the name that it knows.
 *
 * A collision keeps the first in configuration order and qualifies the other, with
 * a warning that names both. The list is sorted by name.
 */
import type { Backend } from './backends/backend.ts';
import { DEFAULT_PROVIDER, qualifiedName, shortened } from './names.ts';

export interface Route<T> {
	readonly backend: Backend;
	/** The name or URI as the backend knows it. */
	readonly name: string;
	/** The item as the backend gave it. */
	readonly item: T;
}

export interface NamedList<T> {
	readonly items: readonly T[];
	readonly routes: ReadonlyMap<string, Route<T>>;
}

export interface Offer<T> {
	readonly backend: Backend;
	readonly items: readonly T[];
}

/** Merge lists whose items are called by `name`. `_meta` and `title` keep a name that had to be cut. */
export function mergeByName<T extends { name: string; title?: unknown; _meta?: unknown }>(
	offers: readonly Offer<T>[],
	warn: (text: string) => void,
): NamedList<T> {
	const routes = new Map<string, Route<T>>();
	const items: T[] = [];
	for (const { backend, items: offered } of offers) {
		for (const item of offered) {
			const full = fullName(routes, backend, item.name, warn);
			const name = shortened(full);
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

/** Merge lists whose items are known by a URI, which is never changed; the first backend wins. */
export function mergeByUri<T>(
	offers: readonly Offer<T>[],
	uriOf: (item: T) => string,
	warn: (text: string) => void,
): NamedList<T> {
	const routes = new Map<string, Route<T>>();
	for (const { backend, items } of offers) {
		for (const item of items) {
			const uri = uriOf(item);
			const first = routes.get(uri);
			if (first === undefined) routes.set(uri, { backend, name: uri, item });
			else warn(`${uri} is offered by ${first.backend.id} and by ${backend.id}; the first is used`);
		}
	}
	const sorted = [...routes].sort(([a], [b]) => (a < b ? -1 : 1));
	return { items: sorted.map(([, { item }]) => item), routes };
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
